"""The keys in the help page and in the dialog of "?". Keys of single elements (data-key in a
template) are added to the dialog by static/js/keys.js; here they are named once for the help page.
tests/test_help.py compares both with the pages.
"""

import json
from typing import NamedTuple


class Key(NamedTuple):
    """`keys`: one after the other, or together with Ctrl and Shift; `does`: what they do."""

    keys: str
    does: str


class KeyGroup(NamedTuple):
    """Keys under a heading. `on`: the CSS selector of an element with which the dialog lists them;
    "" for the help page alone.
    """

    title: str
    on: str
    keys: tuple[Key, ...]


GROUPS = (
    KeyGroup(
        "Anywhere",
        "body",
        (
            Key("Ctrl K", "Search or jump to"),
            Key("/", "Search or jump to"),
            Key("+", "Quick entry (in search)"),
            Key("Ctrl Enter", "Save the quick entry"),
            Key("?", "Keyboard shortcuts"),
            Key("Esc", "Close"),
        ),
    ),
    KeyGroup(
        "Go and create",
        "",
        (
            Key("g i", "Go to a page: g, then its letter (i for invoices)"),
            Key("g o", "Go to the overdue invoices"),
            Key("g m", "Go to the invoice defaults (administrators)"),
            Key("g w", "Go to the system status (administrators)"),
            Key("c c", "Create: c, then its letter (c for a contact)"),
        ),
    ),
    KeyGroup(
        "In lists",
        ":is([data-results], [data-rows]) tbody th a",
        (
            Key("j k", "Next, previous row"),
            Key("↓ ↑", "Next, previous row"),
            Key("Enter", "Open the row"),
            Key("e", "Edit the row"),
            Key("→ ←", "Move into the cells of the row, and back"),
            Key("x", "Select row"),
        ),
    ),
    KeyGroup(
        "In some lists",
        "",
        (
            Key("q", "Search the list"),
            Key("f", "Filter the list"),
            Key("w", "Filter by customer; tasks: agenda"),
            Key("b", "Deals board"),
            Key("< >", "Move the deal to the previous or next stage (on the board)"),
            Key("t", "New task for the row (on Today) or the selection"),
            Key("v", "Change the selection"),
            Key("d", "Mark the task done"),
            Key("o", "Export the list (managers)"),
            Key("#", "Delete the row or selection (managers)"),
        ),
    ),
    KeyGroup(
        "On a record",
        "",
        (
            Key("[ ]", "Previous, next of the list you came from"),
            Key("e", "Edit"),
            Key("f", "Edit the first field in place"),
            Key("s", "Add or remove the star"),
            Key("t", "New task"),
            Key("l", "Log a call or note (not on a lead)"),
            Key("d", "New deal"),
            Key("i", "New invoice (on an estimate: convert it)"),
            Key("m", "New estimate"),
            Key("n", "Add a person to a business"),
            Key("v", "Convert a lead to a contact and a deal"),
            Key("y", "Copy as new"),
            Key("a", "Make recurring"),
            Key("b", "Statement for a contact"),
            Key("r", "Write a reminder for an overdue invoice"),
            Key("u", "Merge contacts"),
            Key("p", "Print"),
            Key("h", "History of the record"),
            Key("#", "Delete"),
            Key("z", "Undo a deletion or a changed field (or Ctrl+Z)"),
        ),
    ),
    KeyGroup(
        "In one field",
        "[data-place], [data-results] th[data-field]",
        (
            Key("Enter", "Open the field of a cell; save it"),
            Key("Tab", "Save, and on to the next field"),
            Key("Esc", "Cancel"),
        ),
    ),
    KeyGroup(
        "In forms",
        "form[data-save-form]",
        (Key("Ctrl Enter", "Save"), Key("Ctrl Shift Enter", "Save and new")),
    ),
)


def of_dialog() -> str:
    """Return the groups of the dialog as JSON: [[title, selector, [[keys, purpose], ...]], ...]."""
    return json.dumps([group for group in GROUPS if group.on], separators=(",", ":"))
