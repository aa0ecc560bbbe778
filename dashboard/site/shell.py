"""What every page shows around its content: the menu, whose page it is, light or dark."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar, cast

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.middleware.csrf import get_token
from django.urls import Resolver404, ResolverMatch, resolve
from django.utils.functional import SimpleLazyObject
from django.utils.html import format_html
from django.utils.safestring import SafeString

from dashboard.accounts import second_step
from dashboard.accounts.permissions import MANAGE_SETTINGS, SEE_WHO_HAS_KEYS
from dashboard.accounts.sessions import lasts_at_least
from dashboard.context import StaffRequest, workspace_of
from dashboard.credentials.services import pair_of
from dashboard.declare.registry import RESOURCES
from dashboard.documents.open_invoices import OVERDUE
from dashboard.gateway import GatewayError
from dashboard.ledger.models import Write
from dashboard.markup import address, page_url
from dashboard.pages.deleted_copies import toast_of
from dashboard.pages.sidebar import sidebar_of
from dashboard.preferences import recents
from dashboard.service_name import SERVICE
from dashboard.setup import steps
from dashboard.site import key_letters
from dashboard.writes import deletions

THEMES = ("light", "dark")  # anything else follows the system
THEME_COOKIE = f"{settings.COOKIE_PREFIX}theme"


class MenuItem(NamedTuple):
    """A place in the menu. `key` is typed after g to go there, after c to create there."""

    label: str
    icon: str
    section: str  # the URL namespace
    page: str
    permission: str
    key: str
    create_label: str = ""


def _page(label: str, icon: str, section: str, route: str, permission: str) -> MenuItem:
    return MenuItem(label, icon, section, route, permission, key_letters.GO[section])


VIEW, CREATE = "accounts.view_records", "accounts.edit_records"
TODAY = (_page("Today", "calendar", "today", "home", VIEW),)
WORK = tuple(
    MenuItem(each.label, each.icon, each.name, "list", VIEW, each.key, f"New {each.singular}")
    for each in RESOURCES.values()
)
FIGURES = (_page("Figures", "chart-column", "figures", "page", VIEW),)
WAITING = (
    _page("Unfinished", "pencil-line", "unfinished", "list", CREATE),
    _page("Not sure", "circle-question-mark", "unsure", "list", CREATE),
    _page("Jobs", "list-checks", "jobs", "list", CREATE),
)


class Setting(NamedTuple):
    """A page of the settings. `letter` is typed after g to go there, "" for none."""

    label: str
    icon: str
    route: str
    permission: str
    says: str
    letter: str = ""


GO = key_letters.GO
SETTINGS: dict[str, tuple[Setting, ...]] = {
    "You": (
        Setting(
            "Connection", "key-round", "credentials:connect", "",
            f"The API keys that connect you to {SERVICE}.", GO["credentials"],
        ),
        Setting(
            "Repeats", "repeat", "repeats:list", CREATE,
            "What comes again: every week, month, quarter or year.",
        ),
        Setting(
            "Task reminders", "calendar", "task_reminders", VIEW,
            "When an open page says that a task is due.",
        ),
        Setting("Your account", "circle-user-round", "account_home", "", "Your name and role."),
        Setting(
            "Number and date format", "calendar", "account_preferences", "",
            "Used for what you type and see.",
        ),
        Setting("Password", "lock", "account_change_password", "", "Change your password."),
        Setting(
            "Two-step sign-in", "key-round", "mfa_index", "",
            "Passkeys, an authenticator app, recovery codes.",
        ),
        Setting(
            "Where you are signed in", "monitor", "usersessions_list", "",
            "Browsers that are signed in as you.",
        ),
    ),
    "Workspace": (
        Setting(
            "Setup", "list-checks", "setup:page", MANAGE_SETTINGS,
            "What is missing for which job, and how to fill it in.", GO["setup"],
        ),
        Setting(
            "Names and codes", "library", "catalogue:overview", MANAGE_SETTINGS,
            f"Names for the codes of {SERVICE}.", GO["catalogue"],
        ),
        Setting(
            "Invoice defaults", "receipt", "documents:settings", MANAGE_SETTINGS,
            "How invoices and estimates begin and are added up.", GO["documents"],
        ),
        Setting(
            "Texts of reminders", "mail", "reminders:settings", MANAGE_SETTINGS,
            "What a reminder of an overdue invoice says.",
        ),
        Setting(
            "Members", "users", "workspace:members", "accounts.change_user",
            "Who works in this workspace.",
        ),
        Setting(
            "History", "history", "history:list", MANAGE_SETTINGS,
            "What everybody created, changed and deleted.", GO["history"],
        ),
    ),
    "Everybody": (
        Setting(
            "Staff", "user-cog", "staff:list", "accounts.change_user",
            "Accounts, roles and invitations.", GO["staff"],
        ),
        Setting(
            "Connections", "key-round", "credentials:holders", SEE_WHO_HAS_KEYS,
            "Whose API keys are stored here.",
        ),
        Setting(
            "Optional features", "plug", "service:operations", MANAGE_SETTINGS,
            f"What only some versions of {SERVICE} can do.", GO["service"],
        ),
        Setting(
            "System status", "activity", "operation:page", MANAGE_SETTINGS,
            "Open problems, all staff.", GO["operation"],
        ),
    ),
}  # fmt: skip
IN_SETTINGS = {
    page.route.partition(":")[0] for group in SETTINGS.values() for page in group
}  # the namespaces, and the names of pages without one

Row = TypeVar("Row")

MANY = 99  # what waits is not counted beyond


class Shortcut(NamedTuple):
    """A page, or a record, that has no place in the menu. `keys`: "" for none."""

    label: str
    icon: str
    keys: str
    url: str


@dataclass(frozen=True)
class MenuEntry:
    """A menu item as it is drawn for one request. An empty `create_url` or `count` is left out."""

    item: MenuItem
    url: str
    create_url: str
    current: bool
    count: str


class Shell:
    """Read by base.html; each part is worked out only when a template asks for it."""

    def __init__(self, request: HttpRequest) -> None:
        self.request = request

    theme_cookie = THEME_COOKIE

    @property
    def theme(self) -> str:
        chosen = self.request.COOKIES.get(THEME_COOKIE, "")
        return chosen if chosen in THEMES else ""

    @cached_property
    def _match(self) -> ResolverMatch | None:
        """The view of the page, by its address: once the password was given again, the view that
        asked for it shows the page that waited, and the request still matches the former.
        """
        try:
            return resolve(self.request.path_info)
        except Resolver404:
            return None

    @cached_property
    def section(self) -> str:
        """The URL namespace of the page."""
        return self._match.namespace if self._match else ""

    @property
    def session_seconds(self) -> int:
        """When to ask whether the sign-in ends, for pages without a form."""
        return lasts_at_least(self.request)

    @property
    def menu(self) -> list[list[MenuEntry]]:
        """The groups of the menu, with what the person may see."""
        allowed = {"", *self.request.user.get_all_permissions()}
        return menu(allowed, self.section, self._waiting(allowed), self._hidden())

    @property
    def keys_refused(self) -> bool:
        """Whether the service refused the keys last, and did not accept them for this page."""
        pair = getattr(self.request.user, "key_pair", None)
        if pair is None or not pair.refused:
            return False
        try:
            return cast(StaffRequest, self.request).gateway.accepted is not True
        except (GatewayError, AttributeError):  # as in sidebar_of
            return True

    @property
    def reminds(self) -> bool:
        """Whether the page may ask when the person's tasks are due: with keys that work."""
        pair = getattr(self.request.user, "key_pair", None)
        return pair is not None and not pair.refused and self.request.user.has_perm(VIEW)

    def _hidden(self) -> set[str]:
        """Sections without use for the person: areas that the plan lacks."""
        user = self.request.user
        if isinstance(user, AnonymousUser):
            return set()
        pair = pair_of(user)
        return set(pair.closed_areas if pair else ())

    @property
    def shortcuts(self) -> list[Shortcut]:
        """The pages without a place among the links of the menu, as far as the person may see
        them.
        """
        overdue = address("invoices", query={"due": OVERDUE})
        shortcuts = [
            Shortcut("Overdue invoices", "receipt", f"g {GO['overdue invoices']}", overdue)
        ]
        user = self.request.user
        shortcuts = shortcuts if user.has_perm(VIEW) and "invoices" not in self._hidden() else []
        for pages in self.settings.values():
            for one in pages:
                keys = f"g {one.letter}" if one.letter else ""
                shortcuts.append(Shortcut(one.label, one.icon, keys, page_url(one.route)))
        about = Shortcut("Help", "circle-question-mark", "", page_url("help"))
        home = Shortcut("Settings", "settings-2", "", page_url("settings"))
        return [*shortcuts, home, about]

    @cached_property
    def settings(self) -> dict[str, list[Setting]]:
        """The pages of the settings that the person may see, by the title of their group."""
        allowed = {"", *self.request.user.get_all_permissions()}
        groups = {
            title: [each for each in pages if each.permission in allowed]
            for title, pages in SETTINGS.items()
        }
        return {title: pages for title, pages in groups.items() if pages}

    @property
    def is_setup_open(self) -> bool:
        """Whether an administrator is still to set the workspace up."""
        user = self.request.user
        return not isinstance(user, AnonymousUser) and steps.is_open(user)

    @property
    def is_in_settings(self) -> bool:
        """Whether the page is one of the settings."""
        match = self._match
        return match is not None and (match.namespace or match.view_name) in IN_SETTINGS | {
            "settings"
        }

    @cached_property
    def setting(self) -> str:
        """The route of the page of the settings that this one is, or belongs to; "" for the home of
        the settings and for any other page.
        """
        name = self._match.view_name if self._match and self.is_in_settings else ""
        routes = [each.route for pages in self.settings.values() for each in pages]
        if name in routes:
            return name
        return next((each for each in routes if each.startswith(f"{self.section}:")), "")

    @cached_property
    def starred(self) -> list[Shortcut]:
        """The records that the person starred last."""
        return self.without_pending(_links(sidebar_of(self.request).starred), "url")

    def _waiting(self, allowed: Collection[str]) -> dict[str, int]:
        """How many wait behind each item of WAITING that the person sees, by its section."""
        if CREATE not in allowed:
            return {}
        sidebar = sidebar_of(self.request)
        return {"unfinished": sidebar.forms, "unsure": sidebar.unresolved}

    @cached_property
    def deletions(self) -> list[dict[str, Any]]:
        """What there is to tell of the person's deletions, newest first."""
        user = self.request.user
        if isinstance(user, AnonymousUser) or not sidebar_of(self.request).deletions:
            return []
        shown = deletions.to_show(user, workspace_of(user))
        return [toast_of(RESOURCES[each.resource], each) for each in shown]

    def without_pending(self, rows: Sequence[Row], url: str) -> list[Row]:
        """The rows whose record is not about to be deleted. `url`: the attribute of a row that
        holds the address of its record, such as "name.url".
        """
        leaving = {one["url"] for one in self.deletions if one["state"] != Write.State.NOT_SAVED}
        return [row for row in rows if attrgetter(url)(row) not in leaving]

    @cached_property
    def person(self) -> str:
        user = self.request.user
        return user.display_name if user.is_authenticated else ""

    @property
    def is_entering(self) -> bool:
        """Whether a signed-in person can open nothing before a second step is set up."""
        return second_step.is_missing(self.request)

    @property
    def email(self) -> str:
        user = self.request.user
        return user.email if user.is_authenticated else ""


def shell(request: HttpRequest) -> dict[str, Any]:
    """Context processor: what is around the page, and the field of its CSRF token."""
    return {"shell": Shell(request), "csrf_input": SimpleLazyObject(partial(_csrf_input, request))}


def _csrf_input(request: HttpRequest) -> SafeString:
    """The token as a hidden field, masked once a page however many forms it has: a mask cannot be
    packed.
    """
    return format_html(
        '<input type="hidden" name="csrfmiddlewaretoken" value="{}">', get_token(request)
    )


def menu(
    allowed: Collection[str],
    section: str,
    waiting: Mapping[str, int] | None = None,
    hidden: Collection[str] = (),
) -> list[list[MenuEntry]]:
    """The groups of the menu for somebody with the permissions `allowed` in `section`.

    `waiting` counts what waits for the person, by the item's section. `hidden`: sections that are
    left out unless they are the current one.
    """
    counts = waiting or {}
    return [
        [
            _entry(item, allowed, section, counts.get(item.section, 0))
            for item in group
            if item.permission in allowed
            and (item.section not in hidden or item.section == section)
        ]
        for group in ((*TODAY, *WORK, *FIGURES), WAITING)
    ]


def _links(rows: Iterable[recents.Seen]) -> list[Shortcut]:
    known = [(RESOURCES.get(row.resource), row) for row in rows]
    return [
        Shortcut(
            row.title or f"{resource.singular.capitalize()} {row.record_id}",
            resource.icon,
            "",
            resource.url(row.record_id),
        )
        for resource, row in known
        if resource
    ]


def _entry(item: MenuItem, allowed: Collection[str], section: str, count: int) -> MenuEntry:
    is_resource = bool(item.create_label)
    may_create = is_resource and CREATE in allowed
    return MenuEntry(
        item=item,
        url=address(item.section) if is_resource else page_url(f"{item.section}:{item.page}"),
        create_url=address(item.section, page="create") if may_create else "",
        current=item.section == section,
        count=f"{MANY}+" if count >= MANY else str(count or ""),
    )
