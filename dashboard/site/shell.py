"""The frame around every page's content: menu, person and theme."""

from collections.abc import Iterable, Sequence
from functools import cache, cached_property, lru_cache, partial
from typing import Any, TypeVar, cast

from django.conf import settings
from django.http import HttpRequest
from django.middleware.csrf import get_token
from django.template.loader import render_to_string
from django.urls import Resolver404, ResolverMatch, resolve
from django.utils.functional import SimpleLazyObject
from django.utils.html import format_html
from django.utils.safestring import SafeString
from markupsafe import Markup

from dashboard.gateway import Gateway
from dashboard.office.models import RecentRecord
from dashboard.people import sessions
from dashboard.people.context import StaffRequest
from dashboard.people.models import KeyPair
from dashboard.people.permissions import EDIT_RECORDS, MANAGE_SETTINGS, VIEW_RECORDS
from dashboard.people.sessions import min_seconds_left
from dashboard.schema import values
from dashboard.schema.menu import OF_ACCOUNT, OTHERS, SETTINGS, MenuPage, menu_groups, permitted
from dashboard.schema.registry import RESOURCES
from dashboard.schema.values import DisplayValue
from dashboard.writes.deletions import toasts_of, without_pending
from dashboard.writes.sidebar import sidebar_of

THEMES = ("light", "dark")  # anything else follows the system
THEME_COOKIE = f"{settings.COOKIE_PREFIX}theme"
KEYS_COOKIE = f"{settings.COOKIE_PREFIX}keys"
ACCOUNT_VIEWS = {page.url_name for page in OF_ACCOUNT}
IN_SETTINGS = {
    "settings",
    *ACCOUNT_VIEWS,
    *(page.section for group in SETTINGS.values() for page in group),
}

Row = TypeVar("Row")

MAX_BADGE = 99  # what waits is not counted beyond


class Shell:
    """Read by base.html; each part is computed only when a template asks for it."""

    def __init__(self, request: HttpRequest) -> None:
        self.request = request

    theme_cookie = THEME_COOKIE

    @property
    def theme(self) -> str:
        chosen = self.request.COOKIES.get(THEME_COOKIE, "")
        return chosen if chosen in THEMES else ""

    @property
    def shows_keys(self) -> bool:
        """Return whether buttons show their keys: after the list of keys was opened in this
        browser.
        """
        return KEYS_COOKIE in self.request.COOKIES

    @cached_property
    def _match(self) -> ResolverMatch | None:
        """Resolve the view of the page by its URL: when a person has confirmed their password, the
        confirming view shows the page that waited, and the request still matches the former.
        """
        try:
            return resolve(self.request.path_info)
        except Resolver404:
            return None

    @cached_property
    def section(self) -> str:
        return self._match.namespace if self._match else ""

    @property
    def session_seconds(self) -> int:
        """Return the seconds after which pages without a form ask whether the session ends."""
        return min_seconds_left(self.request)

    @property
    def menu(self) -> Markup:
        """Return the menu that the person may see; the current page stays if the plan lacks its
        area. Without keys all its pages lead to the connection.
        """
        closed = frozenset(self._pair.closed_areas) if self._pair else _all_sections()
        waiting = tuple(self.waiting.items())
        return _menu(frozenset(self._permissions), closed, self.section, waiting)

    @property
    def keys_refused(self) -> bool:
        """Return whether the service rejected the keys last, and did not accept them for
        this page.
        """
        is_accepted = self._gateway is not None and self._gateway.accepted
        return self._pair is not None and self._pair.refused and not is_accepted

    @property
    def ignored_filters(self) -> list[tuple[str, int]]:
        """Return the filters that the service ignored, each with the number of rows left out."""
        unfit = self._gateway.unfit if self._gateway else {}
        return [(name, len(ids)) for name, ids in unfit.items() if ids]

    @property
    def ignored_searches(self) -> list[str]:
        return sorted(self._gateway.ignored_searches if self._gateway else ())

    @property
    def reminds(self) -> bool:
        """Return whether the page may ask when the person's tasks are due: with keys that work."""
        works = self._pair is not None and not self._pair.refused
        return works and VIEW_RECORDS in self._permissions

    @property
    def _gateway(self) -> Gateway | None:
        return getattr(self.request, "opened_gateway", None)

    @cached_property
    def _pair(self) -> KeyPair | None:
        return getattr(self.request.user, "pair", None)

    @cached_property
    def _permissions(self) -> set[str]:
        return self.request.user.get_all_permissions()

    @cached_property
    def settings(self) -> dict[str, list[MenuPage]]:
        """Return the settings pages that the person may see, by the title of their group."""
        groups = {title: permitted(pages, self._permissions) for title, pages in SETTINGS.items()}
        return {title: pages for title, pages in groups.items() if pages}

    @property
    def is_setup_open(self) -> bool:
        is_open = self._pair is None or self._pair.workspace.in_setup
        return is_open and MANAGE_SETTINGS in self._permissions

    @property
    def is_in_settings(self) -> bool:
        match = self._match
        return match is not None and (match.namespace or match.view_name) in IN_SETTINGS

    @cached_property
    def setting(self) -> str:
        """Return the route of the settings page that this one is, or belongs to; "" for the home of
        the settings and for any other page.
        """
        name = self._match.view_name if self._match and self.is_in_settings else ""
        routes = [each.url_name for pages in self.settings.values() for each in pages]
        if name in routes:
            return name
        if name in ACCOUNT_VIEWS:
            return "account_home"
        return next((each for each in routes if each.startswith(f"{self.section}:")), "")

    @cached_property
    def starred(self) -> list[DisplayValue]:
        return self.without_pending(_links(sidebar_of(self.request).starred), "url")

    @cached_property
    def waiting(self) -> dict[str, str]:
        sidebar = sidebar_of(self.request)
        counts = {"unfinished": sidebar.forms, "unsure": sidebar.unresolved}
        return {
            name: f"{MAX_BADGE}+" if count >= MAX_BADGE else f"{count}"
            for name, count in counts.items()
            if count
        }

    @cached_property
    def deletions(self) -> list[dict[str, Any]]:
        """Return the toasts of the person's deletions, newest first."""
        request = cast(StaffRequest, self.request)
        return toasts_of(request.user) if sidebar_of(request).deletions else []

    def without_pending(self, rows: Sequence[Row], url: str) -> list[Row]:
        """Leave out rows with a pending deletion; see deletions.without_pending."""
        return without_pending(rows, url, self.deletions) if self.deletions else list(rows)

    @property
    def is_entering(self) -> bool:
        """Return whether a signed-in person must set up a second step first."""
        return sessions.lacks_mfa(self.request)


@cache
def _all_sections() -> frozenset[str]:
    return frozenset(each.section for group in menu_groups() for each in group)


@lru_cache(maxsize=500)
def _menu(
    permissions: frozenset[str],
    closed: frozenset[str],
    section: str,
    waiting: tuple[tuple[str, str], ...],
) -> Markup:
    """Draw the menu once for all pages of a section and people with the same rights and counts."""
    context = {
        "groups": [permitted(each, permissions, closed - {section}) for each in menu_groups()],
        "shortcuts": permitted(OTHERS, permissions, closed),
        "section": section,
        "waiting": dict(waiting),
        "may_edit": EDIT_RECORDS in permissions,
    }
    return Markup(render_to_string("_menu.html", context))  # noqa: S704 # nosec B704


def shell(request: HttpRequest) -> dict[str, Any]:
    return {"shell": Shell(request), "csrf_input": SimpleLazyObject(partial(_csrf_input, request))}


def _csrf_input(request: HttpRequest) -> SafeString:
    """Return the token as a hidden field, masked once a page however many forms it has, as masks do
    not compress.
    """
    return format_html(
        '<input type="hidden" name="csrfmiddlewaretoken" value="{}">', get_token(request)
    )


def _links(rows: Iterable[RecentRecord]) -> list[DisplayValue]:
    known = [(RESOURCES.get(row.resource), row) for row in rows]
    return [
        values.link(
            resource.url(row.record_id),
            row.title or f"{resource.singular.capitalize()} {row.record_id}",
        )
        for resource, row in known
        if resource
    ]
