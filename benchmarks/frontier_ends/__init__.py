"""The frontier at both ends: small tables and large budgets, its memory, and what it reports."""
