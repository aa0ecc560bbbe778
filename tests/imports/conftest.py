"""The stand-in in the profiles that tests request."""

from tests.resources.conftest import _standins, lists, sent, standin

__all__ = ["_standins", "lists", "sent", "standin"]
