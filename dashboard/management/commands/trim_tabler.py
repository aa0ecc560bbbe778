"""Make static/vendor/tabler.min.css from Tabler's build: the same rules, less what we never show.

    python manage.py trim_tabler dist/css/tabler.min.css static/vendor/tabler.min.css

A first visit may cost 110 kB and the whole of Tabler takes 79 of them, most of it for parts that
need its JavaScript, which we do not ship. tabler_leave_out.txt names what goes, by class prefix;
a class that it does not name works as Tabler's documentation says.
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


def leave_out(listed: str) -> re.Pattern[str]:
    """A pattern for class names that go: prefixes, colours (*) of parts (=), and any -xxl."""
    words: dict[str, list[str]] = {"=": [], "*": [], "": []}
    for line in listed.splitlines():
        mark = line[:1] if line[:1] in {"=", "*"} else ""
        words[mark] += [] if line.startswith("#") else line.removeprefix(mark).split()
    prefixes, parts, colours = ("|".join(map(re.escape, words[mark])) for mark in ("", "=", "*"))
    return re.compile(rf"(?:{prefixes})|(?:{parts})-(?:{colours})(?:-|$)|.*-xxl(?:-|$)")


def statements(css: str) -> Iterator[str]:
    """The top-level statements of a sheet or of a block, each with its braces."""
    start = depth = 0
    for match in TOKENS.finditer(css):
        mark = match.group()
        depth += (mark == "{") - (mark == "}")
        if depth == 0 and mark in {"}", ";"}:
            yield css[start : match.end()]
            start = match.end()
    yield css[start:]


def kept(css: str, dropped: re.Pattern[str]) -> Iterator[str]:
    for statement in statements(css):
        head, brace, body = statement.partition("{")
        if not brace or head.lstrip().startswith(WHOLE):
            yield statement
        elif head.startswith(NESTING):
            inner = "".join(kept(body[:-1], dropped))
            yield f"{head}{{{inner}}}" if inner else ""
        else:
            selectors = [part for part in SELECTORS.findall(head) if not goes(part, dropped)]
            yield f"{','.join(selectors)}{{{body}" if selectors else ""


def goes(selector: str, dropped: re.Pattern[str]) -> bool:
    """Whether a selector can only match what is left out (what it excludes does not count)."""
    if any(part in selector for part in ("data-bs-navbar", "data-bs-sidebar", "[data-vc")):
        return True
    asked_for = re.sub(r":not\([^)]*\)", "", selector)
    return any(dropped.match(name) for name in CLASS.findall(asked_for))


class Command(BaseCommand):
    help = "Trims Tabler's stylesheet to what the dashboard shows, for a new version of it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("source", type=Path, help="dist/css/tabler.min.css of @tabler/core")
        parser.add_argument("target", type=Path, help="static/vendor/tabler.min.css")

    def handle(self, *args: Any, **options: Any) -> None:
        css = options["source"].read_text(encoding="utf-8")
        css = re.sub(r"/\*# sourceMappingURL=.*?\*/", "", css)
        trimmed = "".join(kept(css, leave_out(LISTED.read_text(encoding="utf-8"))))
        options["target"].write_text(trimmed.rstrip() + "\n", encoding="utf-8")
