"""Addresses that a page offers, with their words."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Link:
    """One address of the pager or of the chips; `url` is empty for what cannot be pressed."""

    label: str
    url: str = ""
    current: bool = False
