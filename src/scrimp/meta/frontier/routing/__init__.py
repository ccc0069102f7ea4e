"""Trees of item sets: a row buys a core, and what it shows decides what is bought next."""
