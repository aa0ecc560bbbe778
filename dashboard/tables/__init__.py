"""Reads and writes tables as CSV, XLSX and ODS; knows no records and no pages."""
