"""Measures the dashboard against the raw API call and against Django's admin (`-m bench`)."""
