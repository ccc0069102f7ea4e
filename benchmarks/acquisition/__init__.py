"""A benchmark for the acquisition of features: ``python -m benchmarks.acquisition``."""
