"""What a screen reader reads of a page, as text: roles, names, states and descriptions in order.

It is made of the accessibility tree of Chromium. Days, times and ids of records differ from run
to run and are left out.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from playwright.sync_api import Page

WORDS = {
    "DisclosureTriangle": "fold",
    "StaticText": "text",
    "checkbox": "check box",
    "columnheader": "column",
    "combobox": "combo box",
    "contentinfo": "foot",
    "definition": "value",
    "gridcell": "cell",
    "image": "picture",
    "listbox": "list box",
    "listitem": "item",
    "menuitem": "menu item",
    "radio": "radio button",
    "rowheader": "row head",
    "searchbox": "search",
    "textbox": "edit",
}
# Their name is all there is to read; of the others what stands in them is read as well.
WHOLE = {
    "DisclosureTriangle", "button", "checkbox", "columnheader", "combobox", "heading", "link",
    "option", "radio", "rowheader", "searchbox", "spinbutton", "tab", "term", "textbox",
}  # fmt: skip
NAMES = {"LabelText", "Legend", "caption"}  # of what they stand beside, which is read with them
FILLED_FROM_WITHIN = {"cell", "definition", "listitem", "row"}
NOT_READ = NAMES | {
    "DescriptionList", "InlineTextBox", "LineBreak", "ListMarker", "MenuListPopup", "emphasis",
    "form", "generic", "none", "paragraph", "rowgroup", "search", "sectionfooter",
    "sectionheader", "strong",
}  # fmt: skip
ONLY_IF_FILLED = {"alert", "group", "log", "navigation", "region", "status", "table"}
SWITCHES = {
    "checked": ("checked", "not checked"),
    "expanded": ("expanded", "collapsed"),
    "pressed": ("pressed", "not pressed"),
}
AT_MOST = 3  # rows of a table or items of a list that are written; the others are like them
ALIKE = {"listitem", "option", "row"}
CHANGING = (
    (re.compile(r"\b\d{1,2}:\d{2}(:\d{2})?\b"), "TIME"),
    (re.compile(r"\b(\w{3} )?\d{1,2} [A-Z][a-z]{2}( \d{4})?\b|\b\d{4}-\d{2}-\d{2}\b"), "DAY"),
    (re.compile(r"\b\d+ (day|week|month|year|hour|minute|second)s?\b"), r"N \1s"),
    (re.compile(r"#\d+|\b[1-9]\d{3,}\b"), "ID"),
)

Node = dict[str, Any]


def spoken(page: Page, part: str = "main") -> list[str]:
    """What is read of the element that the selector part finds, a line each, indented as nested."""
    session = page.context.new_cdp_session(page)
    session.send("DOM.enable")
    document = session.send("DOM.getDocument")["root"]["nodeId"]
    found = session.send("DOM.querySelector", {"nodeId": document, "selector": part})["nodeId"]
    element = session.send("DOM.describeNode", {"nodeId": found})["node"]["backendNodeId"]
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    by_id = {node["nodeId"]: node for node in nodes}
    root = next(node for node in nodes if node.get("backendDOMNodeId") == element)
    return read(root, by_id)


def read(node: Node, by_id: dict[str, Node]) -> list[str]:
    """The lines of a node: its own, and those of what stands in it, two spaces further in."""
    role = role_of(node)
    own = "" if node["ignored"] or role in NOT_READ else line_of(node)
    if role in WHOLE:
        return [own]
    inner = read_children(node, by_id)
    if not own or (role in ONLY_IF_FILLED and not inner):
        return inner
    if len(inner) == 1 and inner[0].startswith("text "):
        return [f"{own} {inner[0].removeprefix('text ')}"]
    return [own, *(f"  {line}" for line in inner)]


def read_children(node: Node, by_id: dict[str, Node]) -> list[str]:
    lines: list[str] = []
    counts: Counter[str] = Counter()
    for child in (by_id[key] for key in node.get("childIds", ())):
        role = role_of(child)
        counts[role] += 1
        is_name = role == "StaticText" and role_of(node) in NAMES
        if not is_name and (role not in ALIKE or counts[role] <= AT_MOST):
            lines += read(child, by_id)
    if any(counts[role] > AT_MOST for role in ALIKE):
        lines.append("and more like them")
    return lines


def role_of(node: Node) -> str:
    return str(node.get("role", {}).get("value", ""))


def line_of(node: Node) -> str:
    """role name, states, = value (description). Empty for a text of spaces."""
    role = role_of(node)
    name, value, description = (
        steady(str(node.get(part, {}).get("value", "")))
        for part in ("name", "value", "description")
    )
    if role == "StaticText" and not name:
        return ""
    if role in FILLED_FROM_WITHIN:
        name = value = ""
    words = [f"{WORDS.get(role, role)} {name}".strip(), *states(node)]
    if value and value != name:
        words.append(f"= {value}")
    said = ", ".join(words)
    return f"{said} ({description})" if description and description != name else said


def states(node: Node) -> Iterator[str]:
    given = {one["name"]: one["value"].get("value") for one in node.get("properties", ())}
    if role_of(node) == "heading":
        yield f"level {given.get('level')}"
    for name in ("required", "disabled", "readonly", "selected", "modal", "focused"):
        if given.get(name) is True:
            yield name
    if given.get("invalid") not in (None, "false", False):
        yield "invalid"
    for name, (yes, no) in SWITCHES.items():
        if name in given:
            yield yes if given[name] in (True, "true") else no


def steady(text: str) -> str:
    """The text in one line, without what differs from run to run."""
    for pattern, word in CHANGING:
        text = pattern.sub(word, text)
    return " ".join(text.split())


# Live words are read when they come, wherever the person is.
LIVE = """
addEventListener("DOMContentLoaded", () => {
  const heard = JSON.parse(sessionStorage.heard ?? "[]");
  const hear = ({ target }) => {
    const element = target.nodeType === Node.ELEMENT_NODE ? target : target.parentElement;
    const place = element?.closest("[aria-live], [role=status], [role=alert]");
    const text = place?.textContent.replace(/\\s+/g, " ").trim();
    if (!text || heard.at(-1) === text) return;
    heard.push(text);
    sessionStorage.heard = JSON.stringify(heard);
  };
  new MutationObserver((changes) => changes.forEach(hear)).observe(document, {
    subtree: true, childList: true, characterData: true,
  });
});
"""


def hear(page: Page, words: str) -> str:
    """Waits until words were part of a live text, which it gives back as a line."""
    page.wait_for_function(
        "words => JSON.parse(sessionStorage.heard ?? '[]').some((one) => one.includes(words))",
        arg=words,
    )
    heard = page.evaluate("JSON.parse(sessionStorage.heard)")
    return "live: " + steady(next(text for text in heard if words in text))
