"""Parses and formats numbers, dates and times as people write them."""
