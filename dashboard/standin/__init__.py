"""A stand-in for the External Business API. Imports nothing of the dashboard."""
