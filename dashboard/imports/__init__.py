"""Imports: records from the rows of a file or of pasted text."""
