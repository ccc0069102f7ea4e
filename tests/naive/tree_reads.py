"""Naive twin of the cost meter's trees: one row walks down a library's own dump.

Plain Python on what each library documents of its dumps. A walk gives the columns it compared
and the value it ended at, so that the twin can be checked against the library's predictions.
Slow on purpose.
"""

from __future__ import annotations

import json
import math

import numpy as np


def reads_and_sum(walks):
    """The columns that several walks compare together, and the sum of their values."""
    walks = list(walks)
    columns = set().union(*(columns for columns, _ in walks))
    return columns, math.fsum(value for _, value in walks)


def lightgbm_walks(booster, rows, num_iteration=None):
    """For each row a walk for each tree; rows hold numbers, and codes of categories."""
    dump = booster.dump_model(num_iteration=num_iteration)["tree_info"]
    return [[_lightgbm(tree["tree_structure"], row) for tree in dump] for row in rows]


def _lightgbm(node, row):
    columns = set()
    while "split_feature" in node:
        columns.add(node["split_feature"])
        value = row[node["split_feature"]]
        node = node["left_child" if _lightgbm_left(node, value) else "right_child"]
    value = node["leaf_value"]
    terms = node.get("leaf_features", [])
    if "leaf_const" in node and not any(math.isnan(row[c]) for c in terms):
        value = node["leaf_const"] + math.fsum(
            row[c] * weight for c, weight in zip(terms, node["leaf_coeff"], strict=True)
        )
    return columns | set(terms), value


def _lightgbm_left(node, value):
    missing = math.isnan(value)
    if node["decision_type"] == "==":
        return not missing and str(int(value)) in node["threshold"].split("||")
    if missing and node["missing_type"] != "NaN":
        value, missing = 0.0, False
    if missing or (node["missing_type"] == "Zero" and abs(value) <= 1e-35):
        return node["default_left"]
    return value <= node["threshold"]


def xgboost_walks(booster, rows, n_trees=None):
    """For each row a walk for each tree; rows hold numbers, and codes of categories."""
    names = booster.feature_names or [f"f{j}" for j in range(len(rows[0]))]
    dump = [json.loads(tree) for tree in booster.get_dump(dump_format="json")[:n_trees]]
    return [[_xgboost(tree, row, names) for tree in dump] for row in rows]


def _xgboost(node, row, names):
    columns = set()
    while "split" in node:
        column = names.index(node["split"])
        columns.add(column)
        value, test = row[column], node["split_condition"]
        if math.isnan(value):
            way = node["missing"]
        elif isinstance(test, list):
            way = node["yes" if int(value) in test else "no"]
        else:
            way = node["yes" if np.float32(value) < np.float32(test) else "no"]
        node = next(child for child in node["children"] if child["nodeid"] == way)
    return columns, node["leaf"]


def catboost_walks(stored, row):
    """A walk for each tree of a stored model of numbers only."""
    if "oblivious_trees" in stored:
        return [_symmetric(tree, row) for tree in stored["oblivious_trees"]]
    return [_one_sided(tree, row) for tree in stored["trees"]]


def _symmetric(tree, row):
    leaf = sum(_above(split, row) << bit for bit, split in enumerate(tree["splits"]))
    return {split["float_feature_index"] for split in tree["splits"]}, tree["leaf_values"][leaf]


def _one_sided(node, row):
    columns = set()
    while "split" in node:
        columns.add(node["split"]["float_feature_index"])
        node = node["right" if _above(node["split"], row) else "left"]
    return columns, node["value"]


def _above(split, row):
    """Missing values count as less than anything, CatBoost's default."""
    value = row[split["float_feature_index"]]
    return int(not math.isnan(value) and np.float32(value) > np.float32(split["border"]))


def scikit_walk(tree, row):
    """The walk through a fitted ``tree_``; its value is that of the first output."""
    node, columns = 0, set()
    while tree.children_left[node] >= 0:
        columns.add(int(tree.feature[node]))
        value = np.float32(row[tree.feature[node]])
        left = tree.missing_go_to_left[node] if np.isnan(value) else value <= tree.threshold[node]
        node = tree.children_left[node] if left else tree.children_right[node]
    return columns, float(tree.value[node].ravel()[0])


def histogram_walk(predictor, row, known):
    """The walk through a tree of histogram gradient boosting.

    `row` holds numbers, and codes of categories; `known` has for each column the number of
    categories seen in training, None for a number.
    """
    node, columns = predictor.nodes[0], set()
    while not node["is_leaf"]:
        column = int(node["feature_idx"])
        columns.add(column)
        value = row[column]
        if math.isnan(value) or (node["is_categorical"] and int(value) >= known[column]):
            left = bool(node["missing_go_to_left"])
        elif node["is_categorical"]:
            words = predictor.raw_left_cat_bitsets[node["bitset_idx"]]
            left = bool(int(words[int(value) // 32]) >> (int(value) % 32) & 1)
        else:
            left = value <= node["num_threshold"]
        node = predictor.nodes[node["left" if left else "right"]]
    return columns, float(node["value"])
