"""Links of a list: of its pager, its page sizes and its chips."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Link:
    """An address with its words; `url` is "" where nothing can be pressed."""

    label: str
    url: str = ""
    current: bool = False
