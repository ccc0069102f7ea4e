"""Following a plan: batches, sessions, early stopping, and the fitted artifact that does it."""
