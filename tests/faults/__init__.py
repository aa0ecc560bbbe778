"""Proof of the rules of a write: `python -m tests.faults` (see __main__).

Each process of it needs Django set up before anything else is imported.
"""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()
