import os
import stat
import subprocess
import sys

import pytest

from scrimp import load, save
from scrimp.io import atomic, write_atomically

from . import models

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions and devices")


def fail(*_):
    raise OSError(28, "No space left on device", "somewhere")


@pytest.fixture(params=["write", "fsync", "replace"])
def broken(request, monkeypatch):
    if request.param == "write":
        real = open

        def opened(*args, **options):
            file = real(*args, **options)

            class Full:
                def __enter__(self):
                    return self

                def __exit__(self, *_):
                    file.close()

                def fileno(self):
                    return file.fileno()

                def write(self, data):
                    file.write(data[:5])
                    fail()

            return Full()

        monkeypatch.setattr(atomic, "open", opened, raising=False)
    else:
        monkeypatch.setattr(os, request.param, fail)


def test_after_a_failure_the_old_file_is_whole_and_alone(broken, tmp_path):
    path = tmp_path / "m"
    path.write_bytes(b"old")
    with pytest.raises(OSError, match="No space left on device") as caught:
        write_atomically(path, b"new" * 10)
    assert caught.value.filename == str(path)
    assert [p.name for p in tmp_path.iterdir()] == ["m"]
    assert path.read_bytes() == b"old"


def test_an_interrupt_leaves_nothing_either(tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(tmp_path / "m", b"new")
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_cannot_be_saved_leaves_the_one_before(tmp_path, broken):
    path = tmp_path / "m.scrimp"
    model = models.predictor("prefix")
    path.write_bytes(models._bytes_of(model))
    with pytest.raises(OSError, match="No space"):
        save(models.predictor("routed"), path)
    assert load(path).plan.plan.kind == "prefix"
    assert len(list(tmp_path.iterdir())) == 1


def test_it_is_complete_on_disk_before_it_gets_its_name(tmp_path, monkeypatch):
    steps = []
    for name in ("fsync", "replace"):
        real = getattr(os, name)

        def noted(*args, name=name, real=real):
            steps.append((name, sum(p.stat().st_size for p in tmp_path.iterdir())))
            return real(*args)

        monkeypatch.setattr(os, name, noted)
    write_atomically(tmp_path / "m", b"12345")
    assert steps == [("fsync", 5), ("replace", 5)]
    assert (tmp_path / "m").read_bytes() == b"12345"


@posix
@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_new_file_has_the_permissions_of_any_new_file(umask, mode, tmp_path):
    before = os.umask(umask)
    try:
        write_atomically(tmp_path / "m", b"x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "m").stat().st_mode) == mode


@posix
def test_a_private_file_stays_private(tmp_path):
    path = tmp_path / "m"
    path.write_bytes(b"old")
    path.chmod(0o600)
    write_atomically(path, b"new")
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"new", 0o600)


@posix
def test_a_link_stays_a_link_and_a_device_a_device(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "m")
    write_atomically(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "m").read_bytes() == b"new"
    write_atomically(os.devnull, b"nothing")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_errors_name_the_file_asked_for(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        write_atomically(tmp_path / "no" / "m", b"x")
    assert caught.value.filename == str(tmp_path / "no" / "m")
    with pytest.raises(OSError, match=r"directory|denied"):
        write_atomically(tmp_path, b"x")


def test_names_may_be_as_long_as_the_system_allows(tmp_path):
    path = tmp_path / ("m" * 250)
    write_atomically(path, b"x")
    assert path.read_bytes() == b"x"


#: Writes a file, and waits for a line before it is complete.
WRITER = """
import os, sys
from scrimp.io import write_atomically

def wait(_):
    print("waiting", flush=True)
    sys.stdin.readline()

os.fsync = wait
write_atomically(sys.argv[1], b"from the other process")
"""


@pytest.fixture
def writer():
    """Start processes that are about to finish writing a file."""
    started = []

    def start(path):
        command = [sys.executable, "-c", WRITER, str(path)]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        started.append(process)
        assert process.stdout.readline() == b"waiting\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


@posix
def test_what_a_killed_writer_leaves_is_removed_by_the_next_one(tmp_path, writer):
    path = tmp_path / "m"
    path.write_bytes(b"old")
    process = writer(path)
    process.kill()
    process.wait()
    assert len(list(tmp_path.iterdir())) == 2
    write_atomically(tmp_path / "another", b"")  # has no part in it
    assert len(list(tmp_path.iterdir())) == 3
    write_atomically(path, b"new")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["another", "m"]
    assert path.read_bytes() == b"new"


@posix
def test_the_file_of_a_running_writer_stays(tmp_path, writer):
    path = tmp_path / "m"
    process = writer(path)
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    process.communicate(b"go on\n")
    assert process.returncode == 0
    assert path.read_bytes() == b"from the other process"
    assert [p.name for p in tmp_path.iterdir()] == ["m"]
