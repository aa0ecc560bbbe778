"""A stand-in for the External Business API. Imports nothing of the dashboard."""

from .standin import StandIn

__all__ = ["StandIn"]
