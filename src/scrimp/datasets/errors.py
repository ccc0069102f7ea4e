"""What can go wrong while getting data."""


class DatasetUnavailable(OSError):
    """No copy of a dataset could be found or fetched."""


class DatasetMismatch(OSError):
    """A copy was found, but it is damaged or is not the dataset it should be."""
