"""What a browser would send for a page's form, read from its HTML."""

from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element

import html5lib
from django.http import HttpResponse

MARKS = {"data-document", "data-save-form"}
NOT_SENT = {"submit", "button", "reset", "image"}


def submitted(response: HttpResponse, **typed: Any) -> dict[str, Any]:
    """The fields of the page's form as they stand, with some typed over; lists for names that
    stand more than once. What is typed for a name with lines may say `line_0_price`.
    """
    tree = html5lib.parse(response.content.decode(), namespaceHTMLElements=False)
    form = next(one for one in tree.iter("form") if MARKS.intersection(one.keys()))
    sent: dict[str, Any] = {}
    for name, value in _controls(form):
        sent.setdefault(name, []).append(value)
    for name, value in typed.items():
        place = name.replace("line_", "line-", 1).replace("_", "-", 1)
        sent[place if name.startswith("line_") else name] = value
    return {name: value for name, value in sent.items() if value is not None}


def _controls(part: Element) -> Iterator[tuple[str, str]]:
    for one in part:
        if one.tag == "template":
            continue
        name, kind = one.get("name"), one.get("type", "text")
        if one.tag == "input" and name and kind not in NOT_SENT:
            if kind not in ("checkbox", "radio") or one.get("checked") is not None:
                yield name, one.get("value", "on" if kind == "checkbox" else "")
        elif one.tag == "textarea" and name:
            yield name, (one.text or "").removeprefix("\n")
        elif one.tag == "select" and name:
            yield from ((name, value) for value in _chosen(one))
        else:
            yield from _controls(one)


def _chosen(select: Element) -> list[str]:
    options = list(select.iter("option"))
    chosen = [one for one in options if one.get("selected") is not None]
    chosen = chosen if chosen or select.get("multiple") is not None else options[:1]
    return [one.get("value", one.text or "") for one in chosen]
