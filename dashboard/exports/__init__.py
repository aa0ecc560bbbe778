"""Exports: the records of a list as a CSV or XLSX file."""
