"""Creates static/vendor/tabler.min.css: Tabler's stylesheet without the rules that no page uses.

    python manage.py trim_tabler dist/css/tabler.min.css static/vendor/tabler.min.css

The whole stylesheet takes 79 kB, most of it for parts that need Tabler's JavaScript, which the
dashboard does not ship. tabler_leave_out.txt lists the removed classes by prefix; every other class
works as Tabler's documentation says.
"""

import re
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

LISTED = Path(__file__).parent.parent / "tabler_leave_out.txt"

TOKENS = re.compile(
    r"""/\*.*?\*/ | "(?:\\.|[^"])*" | '(?:\\.|[^'])*' | \([^()"']*\) | [{};]""", re.S | re.X
)
SELECTORS = re.compile(r"(?:\((?:[^()]|\([^()]*\))*\)|\[[^\]]*\]|[^,(\[])+")
CLASS = re.compile(r"\.(-?[a-zA-Z_][\w-]*)")
NESTING = ("@media", "@supports", "@layer", "@container")
WHOLE = ("@font-face", "@keyframes", "@property")


def removed_classes(listed: str) -> re.Pattern[str]:
    """A pattern of the removed classes: prefixes, colours (*) of parts (=), and any with -xxl."""
    words: dict[str, list[str]] = {"=": [], "*": [], "": []}
    for line in listed.splitlines():
        mark = line[:1] if line[:1] in {"=", "*"} else ""
        words[mark] += [] if line.startswith("#") else line.removeprefix(mark).split()
    prefixes, parts, colours = ("|".join(map(re.escape, words[mark])) for mark in ("", "=", "*"))
    return re.compile(rf"(?:{prefixes})|(?:{parts})-(?:{colours})(?:-|$)|.*-xxl(?:-|$)")


def statements(css: str) -> Iterator[str]:
    """Yield the top-level statements of a stylesheet or of a block, with their braces."""
    start = depth = 0
    for match in TOKENS.finditer(css):
        mark = match.group()
        depth += (mark == "{") - (mark == "}")
        if depth == 0 and mark in {"}", ";"}:
            yield css[start : match.end()]
            start = match.end()
    yield css[start:]


def remaining_rules(css: str, removed: re.Pattern[str]) -> Iterator[str]:
    """Yield the statements of `css` without the selectors that `removed` matches."""
    for statement in statements(css):
        head, brace, body = statement.partition("{")
        if not brace or head.lstrip().startswith(WHOLE):
            yield statement
        elif head.startswith(NESTING):
            inner = "".join(remaining_rules(body[:-1], removed))
            yield f"{head}{{{inner}}}" if inner else ""
        else:
            selectors = [part for part in SELECTORS.findall(head) if not is_removed(part, removed)]
            yield f"{','.join(selectors)}{{{body}" if selectors else ""


def is_removed(selector: str, removed: re.Pattern[str]) -> bool:
    """Whether a selector requires a removed class; classes inside :not() do not count."""
    if any(part in selector for part in ("data-bs-navbar", "data-bs-sidebar", "[data-vc")):
        return True
    required = re.sub(r":not\([^)]*\)", "", selector)
    return any(removed.match(name) for name in CLASS.findall(required))


class Command(BaseCommand):
    """Writes the trimmed stylesheet."""

    help = "Trims Tabler's stylesheet to what the dashboard shows, for a new version of it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the paths of both stylesheets."""
        parser.add_argument("source", type=Path, help="dist/css/tabler.min.css of @tabler/core")
        parser.add_argument("target", type=Path, help="static/vendor/tabler.min.css")

    def handle(self, *args: Any, **options: Any) -> None:
        """Read the source and write the target."""
        css = options["source"].read_text(encoding="utf-8")
        css = re.sub(r"/\*# sourceMappingURL=.*?\*/", "", css)
        trimmed = "".join(remaining_rules(css, removed_classes(LISTED.read_text(encoding="utf-8"))))
        options["target"].write_text(trimmed.rstrip() + "\n", encoding="utf-8")
