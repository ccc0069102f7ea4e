import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """Products of small tables are far slower in several threads, where others work too."""
    with threadpool_limits(1, "blas"):
        yield
