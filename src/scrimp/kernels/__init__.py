"""Numeric kernels: free functions over arrays, compiled by Numba, and their threads.

With ``NUMBA_DISABLE_JIT=1`` they run as plain Python, slowly: for debuggers and coverage. Results
are the same up to the rounding of sums, which NumPy adds in pairs.
"""
