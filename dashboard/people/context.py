"""Who asks: the request of a signed-in person, and what pages and jobs know of that person."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property, wraps
from http import HTTPStatus
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django_htmx.middleware import HtmxDetails

from dashboard.gateway import Gateway
from dashboard.people.members import ask_administrators
from dashboard.people.models import DayStyle, NumberStyle, User, WeekStart, Workspace
from dashboard.people.permissions import MANAGE_SETTINGS
from dashboard.text.style import COMMA, DAY_FIRST, MONTH_FIRST, PLAIN, POINT, Style

P = ParamSpec("P")
R = TypeVar("R", bound=HttpResponseBase)
WEEKDAYS = {WeekStart.SUNDAY: 6, WeekStart.SATURDAY: 5}  # as date.weekday counts


class StaffRequest(HttpRequest):
    """The request of a signed-in person, as our middleware leaves it. For the type checker."""

    user: User
    gateway: Gateway
    htmx: HtmxDetails
    form_input: Any  # writes.form_input.FormInput, set by form_drafts.form_page
    context: "RequestContext"  # set by get_context
    sidebar: Any  # writes.sidebar.Sidebar, set by sidebar_of


@dataclass(frozen=True, kw_only=True)
class RequestContext:
    """Who asks: handed to every view, cell and form of records, and to the work of jobs.

    `style`: how this person writes numbers and dates.
    `workspace`: its id, "" for none. `job`: the number of the job that the calls are made for.
    `page_request`: the request of a page; None in a worker.
    """

    gateway: Gateway
    person: User | None = None
    workspace: str = ""
    style: Style = PLAIN
    job: int | None = None
    page_request: StaffRequest | None = None

    @property
    def request(self) -> StaffRequest:
        """The request of a page. Raises RuntimeError in a worker."""
        if self.page_request is None:
            raise RuntimeError("a worker has no request")
        return self.page_request

    @property
    def user(self) -> User:
        """The person who asks for a page. Raises RuntimeError in a worker."""
        return self.request.user

    @cached_property
    def today(self) -> date:
        """The day of this office when a page first asks for it."""
        return timezone.localdate()

    @property
    def params(self) -> QueryDict:
        """The query of the page's address."""
        return self.request.GET

    def render(
        self, template: str, context: Mapping[str, Any], *, status: int = HTTPStatus.OK
    ) -> HttpResponse:
        """A page, or a fragment of one."""
        return render(self.request, template, context, status=status)

    def open_keys(self) -> None:
        """Open the person's keys now instead of at the first call. Raises NoKeys or
        KeysUnreadable.
        """
        bool(self.gateway)  # the lazy object of the request is made by its first use

    def may(self, permission: str) -> bool:
        """Whether the person has a permission."""
        return self.person is not None and self.person.has_perm(permission)

    @property
    def settings(self) -> Workspace:
        """The workspace with its settings; a row of defaults without keys."""
        pair = getattr(self.person, "key_pair", None)
        return pair.workspace if pair else Workspace(pk="")

    @cached_property
    def whom_to_ask(self) -> str:
        """Who names what the workspace's reference lists lack, as a sentence; "" where the person
        may.
        """
        return "" if self.may(MANAGE_SETTINGS) else ask_administrators(self.workspace)

    @property
    def closed_areas(self) -> frozenset[str]:
        """The resources that the plan of the person's keys lacks."""
        pair = getattr(self.person, "key_pair", None)
        return frozenset(pair.closed_areas if pair else ())


def get_context(request: StaffRequest) -> RequestContext:
    """The context of a request, made once. Raises NoKeys or KeysUnreadable, but not for a form that
    was typed: it comes to that as it is sent, and keeps what was typed.
    """
    ctx = context_without_keys(request)
    if request.method != "POST":
        ctx.open_keys()
    return ctx


def context_without_keys(request: StaffRequest) -> RequestContext:
    """The context of a request, made once, whether or not the person has keys."""
    if not hasattr(request, "context"):
        request.context = context_with(request.user, request.gateway, page_request=request)
    return request.context


def context_with(
    user: User, gateway: Gateway, page_request: StaffRequest | None = None
) -> RequestContext:
    """What a person's pages and jobs know of them, for calls through this gateway."""
    return RequestContext(
        gateway=gateway,
        person=user,
        workspace=workspace_of(user),
        style=style_of(user),
        page_request=page_request,
    )


def page(
    view: Callable[Concatenate[RequestContext, P], R],
) -> Callable[Concatenate[HttpRequest, P], R]:
    """A page whose view gets the context of the request instead of the request."""

    @wraps(view)
    def wrapped(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return view(get_context(cast(StaffRequest, request)), *args, **kwargs)

    return wrapped


def page_without_keys(
    view: Callable[Concatenate[RequestContext, P], R],
) -> Callable[Concatenate[HttpRequest, P], R]:
    """The same for a page that a person without keys is shown as well."""

    @wraps(view)
    def wrapped(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return view(context_without_keys(cast(StaffRequest, request)), *args, **kwargs)

    return wrapped


def style_of(user: User) -> Style:
    """How a person writes numbers and dates, and counts weeks."""
    return Style(
        mark=COMMA if user.number_style == NumberStyle.COMMA else POINT,
        order=MONTH_FIRST if user.day_style == DayStyle.MONTH_FIRST else DAY_FIRST,
        first_weekday=WEEKDAYS.get(WeekStart(user.week_start), 0),
    )


def workspace_of(user: User) -> str:
    """The id of the workspace that the person's keys belong to; "" without keys."""
    pair = getattr(user, "key_pair", None)
    return pair.workspace_id if pair else ""
