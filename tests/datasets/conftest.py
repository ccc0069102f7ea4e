import pytest


@pytest.fixture
def offline(monkeypatch, tmp_path):
    """No data folder, an empty cache, and no network."""

    def unreachable(*_, **__):
        raise OSError("network is unreachable")

    monkeypatch.delenv("SCRIMP_DATA", raising=False)
    monkeypatch.setenv("SCRIMP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("sklearn.datasets.fetch_openml", unreachable)
    monkeypatch.setattr("scrimp.datasets.uci.urlopen", unreachable)
    return tmp_path
