"""Loads at the start, once, what the first pages need.

Else every thread that begins meanwhile does so for itself: 32 first pages at once left 40 MB more
than one after the other.
"""

from pathlib import Path

from django.template import engines
from django.urls import get_resolver

from dashboard import shell


def warm_up() -> None:
    """The views and forms behind every address, our own templates, and the icons of the shell."""
    _ = get_resolver().url_patterns
    engine = engines["django"]
    for folder in engine.dirs:
        for path in Path(folder).rglob("*.html"):
            engine.get_template(str(path.relative_to(folder)))
    shell.menu_html(frozenset(shell.PERMISSIONS), "")
    shell.bar_html("nobody", "", "", "contacts")
