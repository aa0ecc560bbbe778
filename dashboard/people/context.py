"""The request of a signed-in person, and the context that pages and jobs pass on."""

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
from django.utils.http import url_has_allowed_host_and_scheme
from django_htmx.middleware import HtmxDetails

from dashboard.gateway import Gateway
from dashboard.people.members import ask_administrators
from dashboard.people.models import User, Workspace
from dashboard.people.permissions import MANAGE_SETTINGS, permissions_of
from dashboard.text.style import PLAIN, Style

P = ParamSpec("P")
R = TypeVar("R", bound=HttpResponseBase)


class StaffRequest(HttpRequest):
    """The request of a signed-in person, as our middleware leaves it. For the type checker."""

    user: User
    gateway: Gateway
    htmx: HtmxDetails
    opened_gateway: Gateway | None  # the gateway, once it was used
    form_input: Any  # records.form_drafts.FormInput, set by form_drafts.form_page
    context: "RequestContext"  # set by context_without_keys
    sidebar: Any  # writes.sidebar.Sidebar, set by sidebar_of


@dataclass(frozen=True, kw_only=True)
class RequestContext:
    """The person, workspace, permissions and gateway of a request or a job. Passed to every view,
    form and cell.

    `style`: how this person writes numbers and dates. `workspace`: its id, "" for none. `job`: the
    number of the job that makes the calls. `page_request`: None in a worker.
    """

    gateway: Gateway
    person: User | None = None
    workspace: str = ""
    style: Style = PLAIN
    job: int | None = None
    page_request: StaffRequest | None = None

    @property
    def request(self) -> StaffRequest:
        """Return the request. Raises RuntimeError in a worker."""
        if self.page_request is None:
            raise RuntimeError("a worker has no request")
        return self.page_request

    @property
    def user(self) -> User:
        """Return the user. Raises RuntimeError in a worker."""
        return self.request.user

    @cached_property
    def today(self) -> date:
        """Return the date in the office's time zone at first use."""
        return timezone.localdate()

    @property
    def params(self) -> QueryDict:
        return self.request.GET

    def render(
        self, template: str, context: Mapping[str, Any], *, status: int = HTTPStatus.OK
    ) -> HttpResponse:
        return render(self.request, template, context, status=status)

    def local_url(self, url: str, otherwise: str = "") -> str:
        # redirect() takes a text without a slash for the name of a page.
        host = self.request.get_host()
        safe = url.startswith("/") and url_has_allowed_host_and_scheme(url, {host})
        return url if safe else otherwise

    def open_keys(self) -> None:
        """Decrypt the keys before the first call. Raises NoKeys or KeysUnreadable."""
        bool(self.gateway)  # the lazy object of the request is made by its first use

    def may(self, permission: str) -> bool:
        return self.person is not None and permission in permissions_of(self.person)

    @property
    def settings(self) -> Workspace:
        """Return the workspace with its settings; a row of defaults without keys."""
        pair = self.person.pair if self.person else None
        return pair.workspace if pair else Workspace(pk="")

    @cached_property
    def whom_to_ask(self) -> str:
        """Return a sentence that names who can add to the reference lists; "" if the person may."""
        return "" if self.may(MANAGE_SETTINGS) else ask_administrators(self.workspace)

    @property
    def closed_areas(self) -> frozenset[str]:
        pair = self.person.pair if self.person else None
        return frozenset(pair.closed_areas if pair else ())


def context_without_keys(request: StaffRequest) -> RequestContext:
    """Return the context of a request, made once."""
    if not hasattr(request, "context"):
        request.context = context_with(request.user, request.gateway, page_request=request)
    return request.context


def context_with(
    user: User, gateway: Gateway, page_request: StaffRequest | None = None
) -> RequestContext:
    return RequestContext(
        gateway=gateway,
        person=user,
        workspace=user.workspace_id,
        style=user.style,
        page_request=page_request,
    )


def page(
    view: Callable[Concatenate[RequestContext, P], R],
) -> Callable[Concatenate[HttpRequest, P], R]:
    """Like `page_without_keys`, but raises NoKeys or KeysUnreadable, except for a POST: its first
    call raises them, so that the typed values are not lost.
    """

    @page_without_keys
    @wraps(view)
    def opened(ctx: RequestContext, /, *args: P.args, **kwargs: P.kwargs) -> R:
        if ctx.request.method != "POST":
            ctx.open_keys()
        return view(ctx, *args, **kwargs)

    return opened


def page_without_keys(
    view: Callable[Concatenate[RequestContext, P], R],
) -> Callable[Concatenate[HttpRequest, P], R]:
    """Pass the context of the request to the view instead of the request."""

    @wraps(view)
    def wrapped(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return view(context_without_keys(cast(StaffRequest, request)), *args, **kwargs)

    return wrapped
