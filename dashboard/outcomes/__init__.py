"""Outcomes of writes: unfinished forms, history, error pages."""
