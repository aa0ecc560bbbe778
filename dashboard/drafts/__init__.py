"""Stores what was typed into forms and is not saved yet."""
