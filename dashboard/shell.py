"""What every page shows around its content: the menu, whose page it is, light or dark."""

from collections.abc import Callable, Hashable
from functools import cache, cached_property, lru_cache
from typing import NamedTuple

from django.contrib.auth.models import AnonymousUser
from django.contrib.messages import get_messages
from django.http import HttpRequest
from django.middleware.csrf import get_token
from django.template.loader import render_to_string
from django.urls import NoReverseMatch, reverse
from django.utils.safestring import SafeString

from dashboard.accounts.models import User
from dashboard.credentials.services import pair_of
from dashboard.drafts import services as drafts
from dashboard.outbox import services as outbox
from dashboard.templating import HOLE

THEMES = ("light", "dark")  # anything else follows the system
THEME_COOKIE = "theme"


class MenuItem(NamedTuple):
    """A place in the menu. `key` is typed after g to go there, after c to create there."""

    label: str
    icon: str
    section: str  # the URL namespace
    page: str
    permission: str
    key: str
    create_label: str = ""
    waits: Callable[[User], int] | None = None  # counts what waits there for a person


def count_unfinished(user: User) -> int:
    """Unsaved forms and pending deletions of a person in the workspace of their keys."""
    pair = pair_of(user)
    return drafts.count_unfinished(user, pair.workspace) if pair else 0


VIEW, CREATE = "accounts.view_records", "accounts.edit_records"
# In the order of the menu; what has no page yet is left out of it.
WORK = (
    MenuItem("Contacts", "users", "contacts", "list", VIEW, "c", "New contact"),
    MenuItem("Leads", "funnel", "leads", "list", VIEW, "l", "New lead"),
    MenuItem("Deals", "handshake", "deals", "list", VIEW, "d", "New deal"),
    MenuItem("Tasks", "square-check", "tasks", "list", VIEW, "t", "New task"),
    MenuItem("Estimates", "file-text", "estimates", "list", VIEW, "e", "New estimate"),
    MenuItem("Invoices", "receipt", "invoices", "list", VIEW, "i", "New invoice"),
)
WAITING = (
    MenuItem(
        "Unfinished", "pencil-line", "unfinished", "list", CREATE, "u", waits=count_unfinished
    ),
    MenuItem(
        "Not sure",
        "circle-question-mark",
        "unsure",
        "list",
        CREATE,
        "n",
        waits=outbox.count_unresolved,
    ),
)
SETTINGS = (
    MenuItem("Your keys", "key-round", "credentials", "connect", "", "k"),
    MenuItem("Lists", "library", "catalogue", "overview", "accounts.manage_settings", "r"),
    MenuItem(
        "Terms and totals", "receipt", "documents", "settings", "accounts.manage_settings", "o"
    ),
    MenuItem("History", "history", "history", "list", "accounts.manage_settings", "h"),
    MenuItem("Service", "plug", "service", "operations", "accounts.manage_settings", "s"),
)

SEARCHED = {item.section: item.label.lower() for item in WORK}
PERMISSIONS = {CREATE, *(item.permission for item in (*WORK, *WAITING, *SETTINGS))}
MANY = 99  # what waits is not counted beyond
CUT = "\0"  # where the token of the request goes


class Shell:
    """Read by base.html; each part is worked out only when a template asks for it."""

    def __init__(self, request: HttpRequest) -> None:
        self.request = request

    @property
    def theme(self) -> str:
        chosen = self.request.COOKIES.get(THEME_COOKIE, "")
        return chosen if chosen in THEMES else ""

    @property
    def menu(self) -> str:
        user = self.request.user
        match = self.request.resolver_match
        return menu_html(
            frozenset(name for name in PERMISSIONS if not name or user.has_perm(name)),
            match.namespace if match else "",
            self._waiting(),
        )

    def _waiting(self) -> tuple[int, ...]:
        """How much waits behind each item of WAITING, MANY at most."""
        user = self.request.user
        if isinstance(user, AnonymousUser):
            return (0,) * len(WAITING)
        return tuple(
            min(item.waits(user), MANY) if item.waits and user.has_perm(item.permission) else 0
            for item in WAITING
        )

    @cached_property
    def person(self) -> str:
        user = self.request.user
        return user.get_full_name() or user.get_username() if user.is_authenticated else ""

    @property
    def _searched(self) -> str:
        """The section that the search on top looks in: the one at hand, else contacts."""
        match = self.request.resolver_match
        section = match.namespace if match else ""
        return section if section in SEARCHED else "contacts"

    @property
    def bar(self) -> SafeString:
        """The line on top, with a token of this very request in its form."""
        user = self.request.user
        email = user.email if user.is_authenticated else ""
        before, cut, after = bar_html(self.person, email, self.theme, self._searched)
        token = get_token(self.request) if cut else ""
        return SafeString(before + token + after)


def shell(request: HttpRequest) -> dict[str, Shell]:
    """Context processor."""
    return {"shell": Shell(request)}


def framed(request: HttpRequest, template: str, content: SafeString, **facts: Hashable) -> str:
    """A page on which nothing but `content` and the bar differs for people who see the same menu:
    what stands around them is rendered once for each set of `facts`, the template's context.
    """
    if get_messages(request) or _are_refused(request):
        return render_to_string(template, {**facts, "content": content}, request)
    around = Shell(request)
    until_bar, until_content, rest = frame_html(
        template, around.theme, around.menu, tuple(facts.items())
    )
    return f"{until_bar}{around.bar}{until_content}{content}{rest}"


def _are_refused(request: HttpRequest) -> bool:
    """The person's keys, which every page then says."""
    pair = getattr(request.user, "key_pair", None)
    return pair is not None and pair.refused


@lru_cache(maxsize=100)
def frame_html(
    template: str, theme: str, menu: str, facts: tuple[tuple[str, Hashable], ...]
) -> tuple[str, str, str]:
    """A page in three pieces, between which the bar and the content belong.

    Made of its arguments and nothing else, as the bar is.
    """
    places = {"person": "somebody", "theme": theme, "menu": menu, "bar": HOLE}
    context = {**dict(facts), "content": HOLE, "shell": places}
    until_bar, until_content, rest = render_to_string(template, context).split(HOLE)
    return until_bar, until_content, rest


@lru_cache(maxsize=1000)
def menu_html(allowed: frozenset[str], section: str, waiting: tuple[int, ...] = (0, 0)) -> str:
    """The menu for one set of permissions, rendered once per section and what is waiting."""
    counts = dict(zip((item.waits for item in WAITING), waiting, strict=True))
    shown = [
        item for item in WAITING if counts[item.waits] or item.section in (section, "unfinished")
    ]
    groups = [
        [
            entry(item, allowed, section, counts.get(item.waits, 0))
            for item in group
            if item.permission in allowed
        ]
        for group in (WORK, shown, SETTINGS)
    ]
    return render_to_string("_menu.html", {"groups": [[e for e in g if e["url"]] for g in groups]})


@lru_cache(maxsize=1000)
def bar_html(person: str, email: str, theme: str, searched: str) -> tuple[str, str, str]:
    """The line on top for whoever is called so ("" for nobody), cut at the place of the token.

    Made of its four arguments and nothing else, so that no other person's can come of it.
    """
    context = {"person": person, "email": email, "shell": {"theme": theme}}
    places = {
        "search_url": address(searched, "list"),
        "search_noun": SEARCHED[searched],
        "csrf_token": CUT,
    }
    return render_to_string("_bar.html", context | places).partition(CUT)


def entry(
    item: MenuItem, allowed: frozenset[str], section: str, count: int = 0
) -> dict[str, object]:
    may_create = item.create_label and CREATE in allowed
    return {
        "item": item,
        "url": address(item.section, item.page),
        "create_url": address(item.section, "create") if may_create else "",
        "current": item.section == section,
        "count": f"{MANY}+" if count >= MANY else str(count or ""),
    }


@cache
def address(section: str, page: str) -> str:
    """The URL of a page, or nothing where the page does not exist."""
    try:
        return reverse(f"{section}:{page}")
    except NoReverseMatch:
        return ""
