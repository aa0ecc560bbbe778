"""What the people of the soak do: one action after the other, by chance."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .actors import ALL_ROWS, Actor, Tab, form_of, links, text_of, token_of
from .matrix import REDIRECTS
from .oracles import GONE, NOT_SAVED, NOT_SURE, honest
from .rows import ROWS, Row
from .soak import Soak, lost

MISSING = {400, 404, 410}  # what a service says of a record that is not there
LISTS = ("", "?page=2", "?sort={sort}", "?size=50", "?search={word}", "?search=qq")
AROUND = ("/unfinished/", "/unsure/", "/accounts/", "/settings/keys/", "/accounts/preferences/")
Deed = Callable[[Soak, Actor], list[str]]
Deeds = Sequence[Deed]


def list_(soak: Soak, actor: Actor) -> list[str]:
    """A list, somehow narrowed."""
    row = soak.chance.choice(ALL_ROWS)
    word = soak.chance.choice([*actor.entries] or ["a"])
    sort = soak.chance.choice([column.name for column in row.resource.columns])
    actor.get(row.url + soak.chance.choice(LISTS).format(sort=sort, word=word))
    return []


def pick(soak: Soak, actor: Actor) -> list[str]:
    """The matches of a picker."""
    row = soak.chance.choice(ALL_ROWS)
    actor.get(f"{row.url}pick/?q={soak.chance.choice(['qq', 'zq', 'a', '1'])}")
    return []


def look_around(soak: Soak, actor: Actor) -> list[str]:
    """Pages that are of no resource."""
    actor.get(soak.chance.choice(AROUND))
    return []


def open_(soak: Soak, actor: Actor) -> list[str]:
    """A record or a page about it."""
    row = soak.chance.choice(ALL_ROWS)
    number = soak.some_record(actor, row.resource.name)
    action = soak.chance.choice(["", "", "history", "edit"])
    actor.get(row.resource.url(number, action) if action else row.resource.url(number))
    return []


def pry(soak: Soak, actor: Actor) -> list[str]:
    """An address that belongs to the other workspace, or to somebody else."""
    other = next(one for one in soak.actors if one.workspace != actor.workspace)
    row = soak.chance.choice(ALL_ROWS)
    number = soak.some_record(other, row.resource.name)
    url = row.resource.url(number)
    known = ",".join(map(str, soak.records[other.workspace][row.resource.name]))
    some = soak.chance.randrange(1, 200)
    addresses = (
        url, f"{url}history/", f"{url}edit/", f"{url}delete/", f"{row.url}new/?copy={number}",
        f"/titles/?{row.resource.name}={known}", f"/unsure/{some}/", f"{row.url}new/?draft={some}",
        f"/unfinished/deletions/{some}/", f"{row.url}?search=zq",
    )  # fmt: skip
    actor.get(soak.chance.choice(addresses))
    return []


def begin(soak: Soak, actor: Actor) -> list[str]:
    """Open a form and type; often it is kept before anything is sent."""
    row = soak.chance.choice(ALL_ROWS)
    number = soak.some_record(actor, row.resource.name)
    lead = soak.some_record(actor, "leads")
    new, dice = row.resource.url(action="new"), soak.chance.random()
    if dice < 0.45:
        row, number = _at_work_on(soak, actor) or (row, number)
        tab = actor.edit(row, number, soak.held(row.resource.name, number))
    elif dice < 0.55:
        tab = actor.begin(ROWS["leads"], f"/leads/{lead}/convert/", converts=True)
    elif dice < 0.65:
        tab = actor.begin(row, f"{new}?copy={number}")
    else:
        tab = actor.begin(row, new)
    return _keep(soak, actor, tab) if tab else []


def _at_work_on(soak: Soak, actor: Actor) -> tuple[Row, int] | None:
    """Often a record that a colleague has open."""
    open_ones = [
        (tab.entry.row, tab.number)
        for one in soak.actors
        for tab in one.tabs
        if one is not actor and one.workspace == actor.workspace and tab.number
    ]
    return soak.chance.choice(open_ones) if open_ones and soak.chance.random() < 0.4 else None


def _keep(soak: Soak, actor: Actor, tab: Tab) -> list[str]:
    if soak.chance.random() < 0.5:
        tab.entry.kept = actor.post("/unfinished/keep/", tab.sends).status_code == 200
        tab.entry.story.append("kept")
        return [] if tab.entry.kept else ["kept: what was typed could not be kept"]
    return []


def save(soak: Soak, actor: Actor) -> list[str]:
    """Send one of the open forms."""
    if not actor.tabs:
        return begin(soak, actor)
    tab = soak.chance.choice(actor.tabs)
    return soak.save(actor, tab, twice=soak.chance.random() < 0.2)


def delete(soak: Soak, actor: Actor) -> list[str]:
    """Ask to delete a record; then now, not at all, or later."""
    row = soak.chance.choice(ALL_ROWS)
    url = row.resource.url(soak.some_record(actor, row.resource.name), "delete")
    token = token_of(actor.get(url))
    asked = actor.post(url, {"token": token}) if token else None
    held = asked["Location"].partition("?")[0] if asked and asked.status_code == 302 else ""
    if "/deletions/" not in held:
        return []
    dice = soak.chance.random()
    if dice < 0.3:
        actor.post(f"{held}keep/", {})
        return []
    return _delete_now(soak, actor, held) if dice < 0.8 else []


def _delete_now(soak: Soak, actor: Actor, held: str) -> list[str]:
    data = {"token": token_of(actor.get(held)), "now": "1"}
    page = actor.post(held, data)
    soak.settle()
    seen = soak.judged(page, deletes=True)
    actor.followed(page)
    if not seen.writes:  # gone before, or not held any more
        return []
    actor.followed(actor.post(held, data))
    words = [f"once: {len(soak.writes())} deletions"] if len(soak.writes()) > 1 else []
    return words + [f"honest: {found}" for found in honest(seen)]


def unfinished(soak: Soak, actor: Actor) -> list[str]:
    """Go on with something that was not finished, or do away with it."""
    page = actor.get("/unfinished/")
    drafts = links(page, r"/.*\?draft=\d+")
    held = links(page, r"/unfinished/deletions/\d+/")
    if held and soak.chance.random() < 0.3:
        return _delete_now(soak, actor, soak.chance.choice(held))
    if not drafts:
        return []
    url = soak.chance.choice(drafts)
    page = actor.get(url)
    entry, sends = actor.known_in(page, url.partition("?")[0]), form_of(page)
    if entry is None or sends is None:
        return []
    others = [tab for tab in actor.tabs if tab.entry is not entry]  # it is taken up here instead
    if soak.chance.random() < 0.3:
        actor.tabs = others
        return _discard(soak, actor, url, entry)
    path = url.partition("?")[0].split("/")
    number = int(path[2]) if path[3:4] == ["edit"] else 0
    opened = soak.held(entry.row.resource.name, number)
    calls = 3 if "convert" in url else 1
    entry.story.append("taken up")
    actor.tabs = [*others[-5:], Tab(url, sends, entry, number, opened, calls)]
    return []


def _discard(soak: Soak, actor: Actor, url: str, entry: Any) -> list[str]:
    number = url.rpartition("=")[2]
    actor.post(f"/unfinished/{number}/discard/", {})
    entry.story.append("discarded")
    entry.dropped = True
    if soak.chance.random() < 0.5:
        actor.post(f"/unfinished/{number}/put-back/", {})
        entry.story.append("put back")
        entry.dropped = False
    return []


def settle(soak: Soak, actor: Actor) -> list[str]:
    """Settle something that is not sure."""
    unsure = links(actor.get("/unsure/"), r"/unsure/\d+/")
    if not unsure:
        return []
    url = soak.chance.choice(unsure)
    page = actor.get(url)
    if page.status_code in REDIRECTS:
        actor.followed(page)
        return []
    entry = actor.known_in(page)
    candidates = page.context["found"] if page.context and "found" in page.context else []
    same = [one for one in candidates if entry and entry.mark in str(one["cells"])]
    if same and f"{url}found/" in text_of(page):
        entry.story.append("found") if entry else None
        actor.followed(actor.post(f"{url}found/", {"record_id": same[0]["id"]}))
        return []
    if entry:
        entry.most += 1  # by what the person says now, it may be sent once more
        entry.story.append("settled")
    if soak.chance.random() < 0.5:
        actor.followed(actor.post(f"{url}leave/", {}))
        return []
    return _send_again(soak, actor, url)


def _send_again(soak: Soak, actor: Actor, url: str) -> list[str]:
    page = actor.post(f"{url}again/", {})
    soak.settle()
    seen = soak.judged(page, deletes=True)
    actor.followed(page)
    if not seen.writes or (seen.wire == "refusal" and seen.verdict == NOT_SURE):
        return []  # refused the second time: of the first nobody knows any better
    if "draft=" in page.headers.get("Location", ""):
        seen.verdict = NOT_SAVED  # to the form with the objections
    if seen.writes[0]["operation"] == "delete" and seen.writes[0]["status"] in MISSING:
        seen.verdict = GONE
    return [f"honest: {words}" for words in honest(seen)]


def leave(soak: Soak, actor: Actor) -> list[str]:
    """Sign out, maybe press Save in a form that is still open, and sign in again."""
    actor.sign_out()
    if actor.tabs:
        tab = soak.chance.choice(actor.tabs)
        page = actor.post(tab.url, tab.sends)
        tab.entry.kept = True
        tab.entry.story.append("sent after signing out")
        actor.tabs.remove(tab)
        if page.status_code != 302 or soak.writes():
            return ["honest: a form was taken from somebody who had signed out"]
    actor.get("/contacts/")
    soak.settle()
    actor.sign_in()
    actor.get("/contacts/")
    return []


DEEDS: dict[Deed, int] = {
    list_: 12, pick: 4, look_around: 3, open_: 10, pry: 6, begin: 22, save: 26, delete: 6,
    unfinished: 7, settle: 6, leave: 2,
}  # fmt: skip


def walk(soak: Soak, actions: int, only: Deeds = ()) -> Iterator[tuple[str, list[str]]]:
    """So many actions of somebody (of those in `only`, or all), and in the end a look for all that
    was typed: what it was, and the breaches found in it.
    """
    chosen = {deed: DEEDS[deed] for deed in only} or DEEDS
    for _ in range(actions):
        actor = soak.chance.choice(soak.actors)
        deed = soak.chance.choices(list(chosen), list(chosen.values()))[0]
        soak.begin(actor)
        found = deed(soak, actor)
        yield deed.__name__.strip("_"), found + soak.end(actor)
    soak.share = 0.0
    for actor in soak.actors:
        soak.begin(actor)
        found = lost(soak, actor)
        yield "look for all that was typed", found + soak.end(actor)
