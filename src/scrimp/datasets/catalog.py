"""The catalog of datasets of tables: origin, shape, columns, target and prices of each."""

from __future__ import annotations

from dataclasses import dataclass

from .target_encoders import Encoder, at_least, binary, classes, number


@dataclass(frozen=True)
class OpenML:
    """The location of a dataset on OpenML.

    Parameters
    ----------
    data_id : int
        Its number there; a number never changes its content.
    target : str
        The column to predict, where it is not the one that OpenML proposes.
    drop : tuple of str
        Columns that are neither a feature nor the target.
    """

    data_id: int
    target: str = "default-target"
    drop: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"OpenML, dataset {self.data_id}"


@dataclass(frozen=True)
class Entry:
    """One dataset.

    Parameters
    ----------
    origin : str
        Who published it.
    rows : int
        Number of rows.
    columns : tuple of str
        The features, in order. Copies with other names have them in the same order.
    target : str
        The column that `encode` turns into `y`.
    encode : callable
        Makes `y` from the target column.
    openml : OpenML or str
        Where to fetch it, or why it cannot be fetched.
    prices : str, optional
        The price list beside this file.
    missing : str, optional
        A text that stands for a missing value; an empty cell always does.
    """

    origin: str
    rows: int
    columns: tuple[str, ...]
    target: str
    encode: Encoder
    openml: OpenML | str
    prices: str | None = None
    missing: str | None = None


def _numbered(pattern: str, count: int) -> tuple[str, ...]:
    return tuple(pattern.format(i) for i in range(1, count + 1))


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_HEART = _words("age sex cp trestbps chol fbs restecg thalach exang oldpeak slope ca thal")

_SPAM_WORDS = _words(
    "make address all 3d our over remove internet order mail receive will people report addresses "
    "free business email you credit your font 000 money hp hpl george 650 lab labs telnet 857 data "
    "415 85 technology 1999 parts pm direct cs meeting original project re edu table conference"
)

ENTRIES = {
    "heart": Entry(
        origin="UCI Heart Disease, Cleveland (Janosi et al., 1988), CC BY 4.0",
        rows=303,
        columns=_HEART,
        target="disease",
        encode=binary("0", "1"),
        openml="it comes with scrimp",
        prices="heart.toml",
    ),
    "heart_statlog": Entry(
        origin="UCI Statlog (Heart), CC BY 4.0",
        rows=270,
        columns=_HEART,
        target="class",
        encode=binary("1 absent", "2 present"),
        openml=OpenML(53),
        prices="heart.toml",
    ),
    "pima_diabetes": Entry(
        origin="Pima Indians Diabetes (Smith et al., 1988), formerly UCI",
        rows=768,
        columns=_words(
            "times_pregnant glucose diastolic_bp triceps_skin insulin mass_index pedigree age"
        ),
        target="class",
        encode=binary("0 tested_negative", "1 tested_positive"),
        openml=OpenML(37),
        prices="pima.toml",
    ),
    "bupa_liver": Entry(
        origin="UCI Liver Disorders (BUPA), CC BY 4.0",
        rows=345,
        columns=_words("mcv alkphos sgpt sgot gammagt"),
        target="drinks",
        encode=at_least(3),  # Turney (1995), Appendix A.1
        # Many papers take the selector for the class; it marks a split into two parts.
        openml=OpenML(8, target="drinks", drop=("selector",)),
        prices="bupa.toml",
    ),
    "ann_thyroid": Entry(
        origin="UCI Thyroid Disease (ann-thyroid), CC BY 4.0",
        rows=7200,
        columns=_words(
            "age sex on_thyroxine query_on_thyroxine on_antithyroid_medication sick pregnant "
            "thyroid_surgery I131_treatment query_hypothyroid query_hyperthyroid lithium goitre "
            "tumor hypopituitary psych TSH T3 TT4 T4U FTI"
        ),
        target="class",
        encode=classes,
        openml="its copy, number 40497, has only the 3772 training rows of 7200",
        prices="thyroid.toml",
    ),
    "sonar": Entry(
        origin="UCI Connectionist Bench (Sonar), CC BY 4.0",
        rows=208,
        columns=_numbered("band{:02d}", 60),
        target="class",
        encode=binary("R Rock", "M Mine"),
        openml=OpenML(40),
    ),
    "spambase": Entry(
        origin="UCI Spambase, CC BY 4.0",
        rows=4601,
        columns=(
            *(f"word_freq_{word}" for word in _SPAM_WORDS),
            *(f"char_freq_{character}" for character in ";([!$#"),
            *(f"capital_run_length_{kind}" for kind in ("average", "longest", "total")),
        ),
        target="class",
        encode=binary("0", "1"),
        openml=OpenML(44),
    ),
    "ionosphere": Entry(
        origin="UCI Ionosphere, CC BY 4.0",
        rows=351,
        columns=_numbered("a{:02d}", 34),
        target="class",
        encode=binary("b", "g"),
        openml=OpenML(59),
    ),
    "ecoli": Entry(
        origin="UCI Ecoli, CC BY 4.0",
        rows=336,
        columns=_words("mcg gvh lip chg aac alm1 alm2"),
        target="class",
        encode=classes,
        openml=OpenML(39),
    ),
    "breast_cancer_wisconsin": Entry(
        origin="UCI Breast Cancer Wisconsin (Original), CC BY 4.0",
        rows=699,
        columns=_words(
            "clump_thickness cell_size_uniformity cell_shape_uniformity marginal_adhesion "
            "epithelial_cell_size bare_nuclei bland_chromatin normal_nucleoli mitoses"
        ),
        target="class",
        encode=binary("2 benign", "4 malignant"),
        openml=OpenML(15),
    ),
    "splice": Entry(
        origin="UCI Molecular Biology (Splice-junction Gene Sequences), CC BY 4.0",
        rows=3190,
        columns=tuple(f"pos{i:+d}" for i in range(-30, 31) if i != 0),
        target="class",
        encode=classes,
        openml=OpenML(46, drop=("Instance_name",)),
    ),
    "adult": Entry(
        origin="UCI Adult, CC BY 4.0",
        rows=48842,
        columns=_words(
            "age workclass education education_num marital_status occupation relationship race sex "
            "capital_gain capital_loss hours_per_week native_country"
        ),
        target="income",
        encode=binary("<=50K", ">50K"),
        openml=OpenML(1590, drop=("fnlwgt",)),
        missing="?",
    ),
    "abalone": Entry(
        origin="UCI Abalone, CC BY 4.0",
        rows=4177,
        columns=_words(
            "sex length diameter height whole_weight shucked_weight viscera_weight shell_weight"
        ),
        target="rings",
        encode=number,
        openml=OpenML(183),
    ),
    "musk1": Entry(
        origin="UCI Musk (Version 1), CC BY 4.0",
        rows=476,
        columns=_numbered("f{:03d}", 166),
        target="class",
        encode=binary("0", "1"),
        openml="no copy with these columns is known there",
    ),
}
