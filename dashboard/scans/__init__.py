"""Reads all contacts of a workspace, to find who is calling."""
