"""The peers of the Frontier, one file per method."""
