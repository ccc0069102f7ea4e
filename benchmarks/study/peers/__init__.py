"""What the Frontier is held against, one file a method."""
