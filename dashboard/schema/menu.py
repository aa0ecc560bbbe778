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
    """A page of the menu. `permission`: "" for everyone. `text`: what the page is for.

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
        """Return the URL namespace, or the name of a URL without one."""
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
FIGURES = MenuPage("Reports", "chart-column", "figures:page", may.VIEW_RECORDS, key="f")
WAITING = (
    MenuPage("Unfinished", "pencil-line", "unfinished:list", may.EDIT_RECORDS, key="u"),
    MenuPage("Not sure", "circle-question-mark", "unsure:list", may.EDIT_RECORDS, key="n"),
    MenuPage("Imports and jobs", "list-checks", "jobs:list", may.EDIT_RECORDS, key="j"),
)
SETTINGS: dict[str, tuple[MenuPage, ...]] = {
    "You": (
        MenuPage(
            "Your account", "circle-user-round", "account_home", "",
            "Name, formats, password, two-step sign-in",
        ),
        MenuPage(
            "Connection", "key-round", "credentials:connect", "",
            f"API keys that connect you to {SERVICE}", "k",
        ),
        MenuPage(
            "Task reminders", "calendar", "task_reminders", may.VIEW_RECORDS,
            "Reminders before a task is due",
        ),
    ),
    "Documents": (
        MenuPage(
            "Invoice defaults", "receipt", "documents:settings", may.MANAGE_SETTINGS,
            "Payment terms", "m",
        ),
        MenuPage(
            "Letterhead", "printer", "documents:letterhead", may.MANAGE_SETTINGS,
            "Your name and bank account on printed documents",
        ),
        MenuPage(
            "Reminder templates", "mail", "reminders:settings", may.MANAGE_SETTINGS,
            "Templates for overdue reminders",
        ),
        MenuPage(
            "Recurring", "repeat", "repeats:list", may.EDIT_RECORDS,
            "Recurring invoices, estimates and tasks",
        ),
    ),
    "Workspace": (
        MenuPage(
            "Names and codes", "library", "catalogue:overview", may.MANAGE_SETTINGS,
            f"Names for the codes of {SERVICE}", "r",
        ),
        MenuPage(
            "Members", "users", "workspace:members", may.CHANGE_STAFF,
            "People who work in this workspace",
        ),
        MenuPage(
            "Setup", "list-checks", "setup:page", may.MANAGE_SETTINGS,
            "Finish setting up your workspace", "p",
        ),
        MenuPage(
            "History", "history", "history:list", may.MANAGE_SETTINGS,
            "Everything created, changed or deleted", "y",
        ),
    ),
    "All workspaces": (
        MenuPage(
            "Staff", "user-cog", "staff:list", may.CHANGE_STAFF,
            "Accounts, roles and invitations", "a",
        ),
        MenuPage(
            "Optional features", "plug", "service:operations", may.MANAGE_SETTINGS,
            f"Features that only some versions of {SERVICE} have", "s",
        ),
        MenuPage(
            "System status", "activity", "operation:page", may.MANAGE_SETTINGS,
            "Open problems of all staff", "w",
        ),
    ),
}  # fmt: skip
OF_ACCOUNT = (
    MenuPage("Number and date formats", "calendar", "account_home", "", query="#formats"),
    MenuPage("Password", "lock", "account_change_password", ""),
    MenuPage("Two-step sign-in", "key-round", "mfa_index", ""),
    MenuPage("Active sessions", "monitor", "account_home", "", query="#sessions"),
)
"""The parts of the page Your account, and the pages that it leads to."""
OTHERS = (
    MenuPage(
        "Overdue invoices", "receipt", "invoices:list", may.VIEW_RECORDS, "", "o", "?due=overdue"
    ),
    *chain.from_iterable(SETTINGS.values()),
    *OF_ACCOUNT,
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
