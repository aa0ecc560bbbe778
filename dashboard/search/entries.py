"""Entries in one line: "+lead Jane Doe jane@acme.example" in the palette."""

import re
from urllib.parse import urlencode

from dashboard import resources
from dashboard.context import RequestContext
from dashboard.display import values
from dashboard.pages.form_drafts import send_filled
from dashboard.resources.entry_form import LINE, parts_of
from dashboard.resources.line_words import Part

from .finding import Group, Hit

ENTRY = re.compile(r"\+\s*(?P<kind>[a-z]*)(?:\s+(?P<line>.*))?", re.I | re.S)
EXAMPLES = {
    "contact": "Zoe Zebra zoe@zebra.example 030 1234567",
    "lead": "Zoe Zebra zoe@zebra.example trade fair",
    "deal": "Website 12,500 @Acorn closes fri",
    "task": "call Acorn tomorrow 15:00 !high",
    "estimate": "acorn 3 consulting hour, 2 design day",
    "invoice": "acorn 3 consulting hour, due +14",
}


def is_entry(text: str) -> bool:
    """Whether the text begins a record: a plus sign with letters, or alone."""
    return ENTRY.fullmatch(text) is not None


def entry_hits(ctx: RequestContext, text: str) -> tuple[list[Group], list[Part]]:
    """The forms that a text may fill, and how it is read for the first of them.

    The word after the plus sign may be shortened: "+l" stands for a lead.
    """
    found = ENTRY.fullmatch(text)
    kind, line = (found["kind"].lower(), (found["line"] or "").strip()) if found else ("", "")
    closed = ctx.closed_areas
    in_plan = (each for each in resources.ALL if each.name not in closed)
    forms = [each for each in in_plan if each.singular.startswith(kind)]
    hits, save = [], None
    for each in forms:
        url = each.url(page="create")
        if line:
            url = f"{url}?{urlencode({LINE: line})}"
            save = send_filled(ctx, url, f"New {each.singular}")
        hint = "" if line else f"+{each.singular} {EXAMPLES[each.singular]}"
        label = values.link(url, f"New {each.singular}")
        hits.append(Hit(label, hint, "plus", f"c {each.key}", save))
    parts = parts_of(forms[0].singular, line, ctx) if forms and line else []
    return ([Group("Create", hits)] if hits else []), parts
