"""Fixtures that tests of other rooms have, too."""

from tests.records.conftest import contact, pending_url

__all__ = ["contact", "pending_url"]
