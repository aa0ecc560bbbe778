"""The resources of the dashboard, in menu order. A new one is added here."""

from .contacts import CONTACTS

ALL = (CONTACTS,)
