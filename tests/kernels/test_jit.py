"""Kernels are compiled wherever they are installed, with a cache if a folder for it can be had."""

import ast
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numba
import pytest
from numba import config
from numba.core.caching import CacheImpl, UserProvidedCacheLocator

import scrimp
from scrimp.kernels import jit

pytestmark = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="nothing is compiled")
posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")


@pytest.fixture
def read_only(monkeypatch, tmp_path):
    """Make Numba find no folder for its cache, as where sources and home cannot be written to."""
    monkeypatch.setattr(CacheImpl, "_locator_classes", [UserProvidedCacheLocator])
    monkeypatch.setattr(config, "CACHE_DIR", "")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    jit.temporary_cache_folder.cache_clear()
    yield tmp_path
    jit.temporary_cache_folder.cache_clear()


def add_one(x):
    return x + 1


@posix
def test_where_nothing_else_can_be_written_the_cache_is_a_private_temporary_folder(read_only):
    with pytest.raises(RuntimeError, match="cannot cache function"):
        numba.njit(cache=True)(add_one)
    assert jit.njit(cache=True, nogil=True)(add_one)(1) == 2
    [folder] = read_only.iterdir()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert list(folder.rglob("*.nbc"))
    assert config.CACHE_DIR == ""


@posix
def test_a_folder_that_others_can_write_to_is_not_used(read_only):
    folder = read_only / f"scrimp-numba-{os.getuid()}"
    folder.mkdir()
    folder.chmod(0o777)
    assert jit.njit(cache=True)(add_one)(1) == 2
    assert not list(folder.iterdir())
    folder.rmdir()
    folder.symlink_to(read_only)
    jit.temporary_cache_folder.cache_clear()
    assert jit.temporary_cache_folder() is None


def test_without_any_folder_functions_are_compiled_all_the_same(read_only, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(read_only / "nowhere"))
    assert jit.njit(cache=True)(add_one)(1) == 2


PREDICTION = """
import sys
import numpy as np
from numba.core.caching import CacheImpl, UserProvidedCacheLocator

CacheImpl._locator_classes = [UserProvidedCacheLocator]
from scrimp import load

model = load(sys.argv[1])
print(len(model.predict(np.zeros((3, len(model.columns))))))
"""


def test_a_model_predicts_where_it_cannot_write(tmp_path):
    file = Path(__file__).parents[1] / "io" / "old" / "format-1-additive.model"
    outside = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"}
    result = subprocess.run(
        [sys.executable, "-c", PREDICTION, str(file)], capture_output=True, text=True,
        env=outside | {"TMPDIR": str(tmp_path)},
    )  # fmt: skip
    assert result.stdout == "3\n", result.stderr


def test_all_kernels_are_compiled_by_these_decorators():
    for path in sorted((Path(scrimp.__file__).parent / "kernels").glob("*.py")):
        imports = [
            n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.ImportFrom)
        ]
        from_numba = {name.name for n in imports if n.module == "numba" for name in n.names}
        assert "njit" not in from_numba, (
            f"{path.name}: import njit from .jit, which needs no folder"
        )
