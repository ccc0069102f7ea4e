"""Markdown pages, tables and charts, shared by the papers' reports and the benchmarks."""
