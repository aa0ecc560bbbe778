"""The pages of the menu, the settings and the palette as data."""

from collections.abc import Collection, Iterable, Iterator
from functools import cache
from itertools import chain
from typing import NamedTuple

from dashboard.core.service_name import SERVICE
from dashboard.core.templates import page_url
from dashboard.people import permissions as may
from dashboard.schema.registry import RESOURCES


class MenuPage(NamedTuple):
    """A page of the menu. `permission`: "" for everybody. `text`: what the page is for.

    `key`: typed after g to open it and after c to create a record; "" for none. `create_label`: of
    the form of a new record, "" for a page that creates none.
    """

    label: str
    icon: str
    url_name: str
    permission: str
    text: str = ""
    key: str = ""
    query: str = ""
    create_label: str = ""

    @property
    def section(self) -> str:
        """The URL namespace, or the name of a URL without one."""
        return self.url_name.partition(":")[0]

    @property
    def url(self) -> str:
        return page_url(self.url_name) + self.query

    @property
    def create_url(self) -> str:
        return page_url(f"{self.section}:create")

    @property
    def keys(self) -> str:
        return f"g {self.key}" if self.key else ""


TODAY = MenuPage("Today", "calendar", "today:home", may.VIEW_RECORDS, key="h")
FIGURES = MenuPage("Figures", "chart-column", "figures:page", may.VIEW_RECORDS, key="f")
WAITING = (
    MenuPage("Unfinished", "pencil-line", "unfinished:list", may.EDIT_RECORDS, key="u"),
    MenuPage("Not sure", "circle-question-mark", "unsure:list", may.EDIT_RECORDS, key="n"),
    MenuPage("Jobs", "list-checks", "jobs:list", may.EDIT_RECORDS, key="j"),
)
SETTINGS: dict[str, tuple[MenuPage, ...]] = {
    "You": (
        MenuPage(
            "Connection", "key-round", "credentials:connect", "",
            f"The API keys that connect you to {SERVICE}.", "k",
        ),
        MenuPage(
            "Repeats", "repeat", "repeats:list", may.EDIT_RECORDS,
            "What comes again: every week, month, quarter or year.",
        ),
        MenuPage(
            "Task reminders", "calendar", "task_reminders", may.VIEW_RECORDS,
            "When an open page says that a task is due.",
        ),
        MenuPage("Your account", "circle-user-round", "account_home", "", "Your name and role."),
        MenuPage(
            "Number and date format", "calendar", "account_preferences", "",
            "Used for what you type and see.",
        ),
        MenuPage("Password", "lock", "account_change_password", "", "Change your password."),
        MenuPage(
            "Two-step sign-in", "key-round", "mfa_index", "",
            "Passkeys, an authenticator app, recovery codes.",
        ),
        MenuPage(
            "Where you are signed in", "monitor", "usersessions_list", "",
            "Browsers that are signed in as you.",
        ),
    ),
    "Workspace": (
        MenuPage(
            "Setup", "list-checks", "setup:page", may.MANAGE_SETTINGS,
            "What is missing for which job, and how to fill it in.", "p",
        ),
        MenuPage(
            "Names and codes", "library", "catalogue:overview", may.MANAGE_SETTINGS,
            f"Names for the codes of {SERVICE}.", "r",
        ),
        MenuPage(
            "Invoice defaults", "receipt", "documents:settings", may.MANAGE_SETTINGS,
            "How invoices and estimates begin and are added up.", "m",
        ),
        MenuPage(
            "Letterhead", "printer", "documents:letterhead", may.MANAGE_SETTINGS,
            "Your name and bank details on printed documents.",
        ),
        MenuPage(
            "Texts of reminders", "mail", "reminders:settings", may.MANAGE_SETTINGS,
            "What a reminder of an overdue invoice says.",
        ),
        MenuPage(
            "Members", "users", "workspace:members", may.CHANGE_STAFF,
            "Who works in this workspace.",
        ),
        MenuPage(
            "History", "history", "history:list", may.MANAGE_SETTINGS,
            "What everybody created, changed and deleted.", "y",
        ),
    ),
    "Everybody": (
        MenuPage(
            "Staff", "user-cog", "staff:list", may.CHANGE_STAFF,
            "Accounts, roles and invitations.", "a",
        ),
        MenuPage(
            "Connections", "key-round", "credentials:holders", may.SEE_WHO_HAS_KEYS,
            "Whose API keys are stored here.",
        ),
        MenuPage(
            "Optional features", "plug", "service:operations", may.MANAGE_SETTINGS,
            f"What only some versions of {SERVICE} can do.", "s",
        ),
        MenuPage(
            "System status", "activity", "operation:page", may.MANAGE_SETTINGS,
            "Open problems, all staff.", "w",
        ),
    ),
}  # fmt: skip
OTHERS = (
    MenuPage(
        "Overdue invoices", "receipt", "invoices:list", may.VIEW_RECORDS, "", "o", "?due=overdue"
    ),
    *chain.from_iterable(SETTINGS.values()),
    MenuPage("Settings", "settings-2", "settings", ""),
    MenuPage("Help", "circle-question-mark", "help", ""),
)
"""The pages that have no place in the menu."""


@cache
def menu_groups() -> tuple[tuple[MenuPage, ...], ...]:
    work = (
        MenuPage(
            each.label,
            each.icon,
            f"{each.name}:list",
            may.VIEW_RECORDS,
            key=each.key,
            create_label=f"New {each.singular}",
        )
        for each in RESOURCES.values()
    )
    return (TODAY, *work, FIGURES), WAITING


def permitted(
    pages: Iterable[MenuPage], permissions: Collection[str], closed: Collection[str] = ()
) -> list[MenuPage]:
    """Return the pages that a person may open. `closed`: areas that their plan lacks."""
    allowed = {"", *permissions}
    return [each for each in pages if each.permission in allowed and each.section not in closed]


def taken_keys(resources: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield a sentence for each (resource, key) whose key belongs to another page."""
    pages = {each.key: each.label for each in (TODAY, FIGURES, *WAITING, *OTHERS) if each.key}
    for name, key in resources:
        if key in pages:
            free = "".join(sorted(set(map(chr, range(97, 123))) - pages.keys()))
            yield (
                f"{name}: the key “{key}” is that of the page {pages[key]}. "
                f"Pages leave these letters: {free}."
            )
