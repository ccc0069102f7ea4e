"""Whether every answer is worth having: models fitted once, and asked with all kinds of gaps."""
