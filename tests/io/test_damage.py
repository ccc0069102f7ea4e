"""Files that are cut short, damaged, of another version, or no model at all."""

import io
import os
import pickle
import sys
import zipfile

import numpy as np
import pytest

from scrimp import load, save
from scrimp.io import ModelFileError, _bytes_of
from scrimp.io.container import pack
from scrimp.io.format import FORMAT, READERS

from . import models

DATA = _bytes_of(models.predictor())


@pytest.fixture
def reading(tmp_path):
    path = tmp_path / "m.scrimp"

    def read(data):
        path.write_bytes(data)
        return load(path)

    return read


def test_a_file_cut_short_anywhere_says_so(reading):
    for size in range(0, len(DATA), 37):
        with pytest.raises(ModelFileError, match=rf"m\.scrimp is cut short: it has {size} bytes"):
            reading(DATA[:size])
    with pytest.raises(ModelFileError, match=f"{len(DATA) - 1} bytes of {len(DATA)}. Copy it"):
        reading(DATA[:-1])


@pytest.mark.parametrize("flip", [0x01, 0x80, 0xFF])
def test_a_single_wrong_byte_is_noticed(reading, flip):
    for place in range(0, len(DATA), 7):
        wrong = bytearray(DATA)
        wrong[place] ^= flip
        try:
            model = reading(bytes(wrong))
        except ModelFileError:
            continue
        assert _bytes_of(model) == DATA  # a space of the container's, say


def test_a_wrong_number_in_an_array_is_noticed(reading):
    with pytest.raises(ModelFileError, match="its checksum does not fit its content"):
        reading(DATA[:-1] + bytes([DATA[-1] ^ 1]))


def test_a_changed_price_is_noticed(reading):
    assert DATA.count(b"5.17") == 1
    with pytest.raises(ModelFileError, match="its checksum does not fit its content"):
        reading(DATA.replace(b"5.17", b"0.17"))


def test_a_file_with_something_behind_it_is_refused(reading):
    with pytest.raises(ModelFileError, match="cannot be read"):
        reading(DATA + b"\0")


class Bomb:
    def __reduce__(self):
        return os.abort, ()


def zipped() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("scrimp", DATA)
    return file.getvalue()


def arrays() -> bytes:
    file = io.BytesIO()
    np.savez(file, a=np.zeros(3))
    return file.getvalue()


def others() -> dict[str, bytes]:
    from safetensors.numpy import save as save_tensors

    return {
        "pickle": pickle.dumps(Bomb()),
        "old pickle": pickle.dumps(Bomb(), protocol=0),
        "zip": zipped(),
        "npz": arrays(),
        "text": b"feature,price\nage,1.0\n",
        "zeros": bytes(1000),
        "ones": b"\xff" * 1000,
        "safetensors": save_tensors({"a": np.zeros(3)}, {"format": "np"}),
        "json": b'{"__metadata__":{"scrimp":"{}"}}',
        "short": b"abc" * 4,
    }


@pytest.mark.parametrize("name", others())
def test_what_is_no_model_is_called_so(reading, name):
    with pytest.raises(ModelFileError, match=r"is not a scrimp model\. Expected a file written"):
        reading(others()[name])


def test_a_newer_format_asks_for_an_upgrade(reading):
    document, tensors = models.taken_apart(models.predictor())
    with pytest.raises(
        ModelFileError,
        match=rf"m\.scrimp was written by a newer scrimp \(format {FORMAT + 1}\); "
        rf"this one reads up to {FORMAT}: upgrade scrimp\.$",
    ):
        reading(pack({"format": FORMAT + 1, "anything": []}, tensors))
    document["format"] = 10**15
    with pytest.raises(ModelFileError, match="upgrade scrimp"):
        reading(pack(document, tensors))


@pytest.mark.parametrize("number", [0, -1])
def test_an_unknown_format_is_named(reading, number):
    document, tensors = models.taken_apart(models.predictor())
    with pytest.raises(ModelFileError, match=f"unknown format {number}; this scrimp reads 1"):
        reading(pack({**document, "format": number}, tensors))


@pytest.mark.parametrize("number", [True, 1.0, "1", None, [1]])
def test_a_format_that_is_no_number_is_refused(reading, number):
    document, tensors = models.taken_apart(models.predictor())
    with pytest.raises(ModelFileError, match="format must be a whole number"):
        reading(pack({**document, "format": number}, tensors))


def test_there_is_a_reader_for_what_is_written(tmp_path):
    document, _ = models.taken_apart(models.predictor())
    assert document["format"] == max(READERS)


def test_a_missing_file_is_a_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none.scrimp")


def test_a_folder_or_a_device_is_no_file(tmp_path):
    with pytest.raises(ModelFileError, match="is not a file"):
        load(tmp_path)
    if sys.platform != "win32":
        os.mkfifo(tmp_path / "pipe")
        for path in (tmp_path / "pipe", "/dev/zero"):
            with pytest.raises(ModelFileError, match="is not a file"):
                load(path)


def test_the_cause_is_kept_for_those_who_look(reading):
    document, tensors = models.taken_apart(models.predictor())
    del tensors["classes"]
    with pytest.raises(ModelFileError, match="it lacks 'classes'") as caught:
        reading(pack(document, tensors))
    assert isinstance(caught.value.__cause__, KeyError)


def test_load_takes_text_and_paths(tmp_path):
    save(models.predictor("routed"), str(tmp_path / "m"))
    assert load(str(tmp_path / "m")).plan.plan.kind == load(tmp_path / "m").plan.plan.kind
