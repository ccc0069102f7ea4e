"""Efficient Test-Time Predictor Learning with Group-Based Budget (Wang et al. 2018), again."""
