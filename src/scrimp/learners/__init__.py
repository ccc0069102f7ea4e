"""Learners, one package per family: each turns data and prices into a plan."""
