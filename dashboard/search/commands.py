"""The commands of the palette: pages, forms of new records, statements and actions for phone
numbers.
"""

from collections.abc import Iterator
from itertools import chain
from urllib.parse import urlencode

from dashboard.core.templates import page_url
from dashboard.gateway import GatewayError
from dashboard.lists.query import ALL
from dashboard.lists.saved_lists import built_in, saved_of
from dashboard.office import recents
from dashboard.people.context import RequestContext
from dashboard.people.keys import owner_of
from dashboard.people.permissions import EDIT_RECORDS, EXPORT_RECORDS
from dashboard.reader import identity
from dashboard.reader.failures import describe
from dashboard.reader.find import search
from dashboard.resources.contacts import CONTACTS
from dashboard.resources.quick_entry import LINE
from dashboard.schema import values
from dashboard.schema.menu import OTHERS, menu_groups, permitted
from dashboard.schema.registry import RESOURCES
from dashboard.schema.resource import Resource
from dashboard.search.hits import Hit, HitGroup, preview_url
from dashboard.text.plain import folded

MAX_STATEMENTS = 5
STATEMENT = "statement"
SHORTEST_STATEMENT = 4  # letters of the word "statement" before a name
NAME_HINT = "then enter a customer"
SYNONYMS = {
    "Today": "home, dashboard",
    "Reports": "figures, charts",
    "Unfinished": "drafts",
    "Imports and jobs": "bulk changes",
    "Tasks: Agenda": "week, calendar",
    "Overdue invoices": "late, unpaid, debtors",
    "Sign out": "log out, leave",
}  # words by which a command is found, too
IMPORT_ABOUT = "A CSV, XLSX or ODS file, or cells from a spreadsheet. You can check each row first."
CREATE_ABOUT = "Opens the form. Nothing is saved yet."


def command_groups(ctx: RequestContext, text: str) -> list[HitGroup]:
    """Return the pages of the menu and the forms for new records that match the text."""
    offered = chain(*menu_groups(), OTHERS)
    known = permitted(offered, ctx.user.get_all_permissions(), ctx.closed_areas)
    pages = [
        Hit(values.link(one.url, one.label), "", one.icon, one.keys, about=one.text)
        for one in known
    ]
    new = [
        _form(one.create_url, one.create_label)._replace(keys=f"c {one.key}")
        for one in known
        if one.create_label and ctx.may(EDIT_RECORDS)
    ]
    if text:
        in_menu = {one.section for one in known}
        resources = [each for each in RESOURCES.values() if each.name in in_menu]
        sign_out = Hit(values.link(page_url("account_logout"), "Sign out"), "", "log-out")
        pages += [*_pages_of(ctx, resources), *_themes(), sign_out]
        if ctx.may(EXPORT_RECORDS):
            imports = [(each.url(page="import"), f"Import {each.name}") for each in resources]
            new += [Hit(values.link(*one), "", "upload", about=IMPORT_ABOUT) for one in imports]
    create = [*_number_actions(ctx, text), *_matching(new, text)]
    groups = [HitGroup("Create", create), HitGroup("Go to", _matching(pages, text))]
    return [group for group in groups if group.hits]


def statement_group(ctx: RequestContext, text: str) -> HitGroup:
    """Return the statements of the customers named after the word, or of those opened last."""
    word, _, name = text.partition(" ")
    is_asked = len(word) >= SHORTEST_STATEMENT and STATEMENT.startswith(word.lower())
    if not is_asked or "invoices" in ctx.closed_areas:
        return HitGroup("Statements", [])
    try:
        customers = _customers(ctx, name.removeprefix("for ").strip())
    except GatewayError as error:
        return HitGroup("Statements", [], describe(error).title)
    hits = [
        Hit(
            values.link(CONTACTS.url(number, STATEMENT), f"Statement for {title}"),
            hint,
            "receipt",
            preview=preview_url(number),
        )
        for number, title, hint in customers[:MAX_STATEMENTS]
    ]
    if not name:
        hits.append(Hit(values.link(CONTACTS.url(), "Statement for…"), NAME_HINT, "receipt"))
    return HitGroup("Statements", hits)


def _customers(ctx: RequestContext, name: str) -> list[tuple[int, str, str]]:
    """Return the id, name and hint of each contact. Raises GatewayError."""
    if name:
        matches = search(ctx.gateway, CONTACTS.endpoint, name)
        return [(each.id, each.title, each.hint) for each in matches]
    opened = recents.seen(ctx.user, owner_of(ctx.gateway)).filter(resource=CONTACTS.name)
    return [(one.record_id, one.title, "") for one in opened if one.title]


def _number_actions(ctx: RequestContext, text: str) -> list[Hit]:
    number = identity.typed_number(text)
    if not (identity.is_whole(number) and ctx.may(EDIT_RECORDS)):
        return []
    call = {LINE: f"Call from {number}", "done": "now"}
    offered = (
        ("contacts", "New contact with this number", {LINE: number}),
        ("tasks", "Log a call", call),
        ("leads", "New lead with this number", {LINE: number}),
        ("tasks", "New task: call back", {LINE: f"Call back {number}"}),
    )
    return [
        _form(f"{RESOURCES[name].url(page='create')}?{urlencode(query)}", label)._replace(
            hint=number
        )
        for name, label, query in offered
        if name not in ctx.closed_areas
    ]


def _form(url: str, label: str) -> Hit:
    return Hit(values.link(url, label), "", "plus", about=CREATE_ABOUT)


def _pages_of(ctx: RequestContext, resources: list[Resource]) -> Iterator[Hit]:
    for each in resources:
        for label, name, key in each.list_pages:
            link = values.link(each.url(page=name), f"{each.label}: {label}")
            yield Hit(link, "", each.icon, f"g {each.key} {key}")
    saved = saved_of(resources, ctx)
    for each in resources:
        for view in (*built_in(each), *(own for own in saved if own.resource is each)):
            if view.key != ALL:
                yield Hit(values.link(view.url, f"{each.label}: {view.label}"), "", each.icon)


def _themes() -> list[Hit]:
    url = page_url("account_home")
    return [
        Hit(values.link(url, f"Theme: {label}"), "", icon, theme=theme)
        for theme, label, icon in (
            ("", "System", "monitor"),
            ("light", "Light", "sun"),
            ("dark", "Dark", "moon"),
        )
    ]


def _matching(hits: list[Hit], text: str) -> list[Hit]:
    """Return the hits with every word in their name or in a synonym, which is then shown."""
    words = folded(text).split()
    found = []
    for hit in hits:
        name, also = folded(hit.label.text), SYNONYMS.get(hit.label.text, "")
        if all(word in name for word in words):
            found.append(hit)
        elif all(word in f"{name} {also}" for word in words):
            found.append(hit._replace(hint=f"also: {also}"))
    return found
