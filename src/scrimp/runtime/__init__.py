"""Following a plan: batches, sessions, early stopping, and the predictor that combines them."""
