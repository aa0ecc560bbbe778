"""The fields that a browser sends for the form of a page, read from its HTML."""

from html.parser import HTMLParser
from typing import Any

from django.http import HttpResponse

MARKS = {"data-document", "data-save-form"}
NOT_SENT = {"submit", "button", "reset", "image"}


def submitted(response: HttpResponse, **typed: Any) -> dict[str, Any]:
    """The fields of the page's form as they stand, with some typed over; lists for names that
    stand more than once. What is typed for a name with lines may say `line_0_price`.
    """
    sent = fields(response.content.decode())
    for name, value in typed.items():
        place = name.replace("line_", "line-", 1).replace("_", "-", 1)
        sent[place if name.startswith("line_") else name] = value
    return {name: value for name, value in sent.items() if value is not None}


def fields(page: str) -> dict[str, Any]:
    """Lists of values by name, of the first form with visible fields."""
    reader = _Reader()
    reader.feed(page)
    assert reader.done, "no form to be filled in"
    return reader.sent


class _Reader(HTMLParser):
    """Reads fields without building a tree, which is several times as fast."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: dict[str, Any] = {}
        self.inside = self.done = False
        self.templates = 0
        self.area: str | None = None
        self.text = ""
        self.select: dict[str, str | None] | None = None
        self.options: list[tuple[str, bool]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        of = dict(attrs)
        self.inside |= tag == "form" and not self.done and bool(MARKS.intersection(of))
        self.templates += tag == "template"
        if not self.inside or self.templates:
            return
        if tag == "input":
            self._input(of)
        elif tag == "textarea" and "disabled" not in of:
            self.area, self.text = of.get("name") or "", ""
        elif tag == "select" and "disabled" not in of:
            self.select, self.options = of, []
        elif tag == "option" and self.select is not None:
            self.options.append((of.get("value") or "", "selected" in of))

    def handle_data(self, data: str) -> None:
        self.text += data if self.area is not None else ""

    def handle_endtag(self, tag: str) -> None:
        self.templates -= tag == "template"
        if self.inside and tag == "form":
            self.inside, self.done = False, True
        elif tag == "textarea" and self.area is not None:
            self._add(self.area, self.text.replace("\r\n", "\n").removeprefix("\n"))
            self.area = None
        elif tag == "select" and self.select is not None:
            self._choose(self.select)
            self.select = None

    def _add(self, name: str, value: str) -> None:
        if name:
            self.sent.setdefault(name, []).append(value)

    def _input(self, of: dict[str, str | None]) -> None:
        if "disabled" in of:
            return
        kind, box = of.get("type") or "text", of.get("type") in {"checkbox", "radio"}
        if kind not in NOT_SENT and (not box or "checked" in of):
            value = of.get("value", "on" if kind == "checkbox" else "")
            self._add(of.get("name") or "", value or "")

    def _choose(self, of: dict[str, str | None]) -> None:
        chosen = [value for value, selected in self.options if selected]
        first = [value for value, _ in self.options[:1]] if "multiple" not in of else []
        for value in chosen or first:
            self._add(of.get("name") or "", value)
