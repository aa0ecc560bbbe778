"""Databases that releases have filled, which the next release has to migrate: VERSION.sql."""

from pathlib import Path

FOLDER = Path(__file__).parent
