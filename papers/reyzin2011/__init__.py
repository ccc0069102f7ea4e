"""Boosting on a Budget: Sampling for Feature-Efficient Prediction (Reyzin, ICML 2011), again."""
