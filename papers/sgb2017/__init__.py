"""Gradient Boosting on Stochastic Data Streams (Hu et al., AISTATS 2017)."""
