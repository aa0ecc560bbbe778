"""Writes docs/user-guide.md from the help page, which is its one source: python -m tests.guide

tests/test_help.py compares both.
"""

import os
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from dashboard.site import key_letters

ROOT = Path(__file__).resolve().parent.parent
GUIDE = ROOT / "docs/user-guide.md"
BEGIN = """# User guide

For office staff. `python -m tests.guide` writes it from the page *Help* of the site.
"""
BLOCKS = {"h2": "## ", "h3": "### ", "p": "", "li": "- ", "div": "- "}
"""By tag: what a line of Markdown begins with. The help page has a `div` around each key only."""
INLINE = {"kbd": "`", "strong": "**"}


class _Guide(HTMLParser):
    """The text of the element with the class "help" as paragraphs of Markdown."""

    def __init__(self) -> None:
        super().__init__()
        self.paragraphs: list[str] = []
        self._words: list[str] = []
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if given.get("class") == "help":
            self._inside = True
        elif self._inside and tag == "img":
            name = re.sub(r"^.*?pictures/([\w-]+).*", r"\1", given["src"] or "")
            self.paragraphs.append(f"![{given['alt']}](../static/pictures/{name}.webp)")
        elif self._inside:
            self._words.append({"dd": ": "}.get(tag, INLINE.get(tag, "")))

    def handle_endtag(self, tag: str) -> None:
        if not self._inside:
            return
        self._words.append(INLINE.get(tag, ""))
        if tag in BLOCKS:
            self._end(BLOCKS[tag])
        elif tag == "main":
            self._inside = False

    def _end(self, beginning: str) -> None:
        words = " ".join("".join(self._words).split()).replace("``", "` `")
        if words:
            self.paragraphs.append(f"{beginning}{words}")
        self._words.clear()

    def handle_data(self, data: str) -> None:
        if self._inside:
            self._words.append(data)


def of_page(html: str) -> str:
    """The guide for the help page as a person sees it."""
    parser = _Guide()
    parser.feed(html)
    return f"{BEGIN}{''.join(_lines(parser.paragraphs))}"


def _lines(paragraphs: list[str]) -> Iterator[str]:
    """With a blank line between paragraphs, and none between the items of a list."""
    before = ""
    for each in paragraphs:
        yield f"{each}\n" if each.startswith("- ") and before.startswith("- ") else f"\n{each}\n"
        before = each


def rendered() -> str:
    """The help page alone, without a person or a database."""
    from django.template.loader import render_to_string

    context: dict[str, Any] = {"key_groups": key_letters.GROUPS}
    return render_to_string("site/help.html", context)


def main() -> None:
    import django

    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    django.setup()
    GUIDE.write_text(of_page(rendered()), encoding="utf-8")


if __name__ == "__main__":
    main()
