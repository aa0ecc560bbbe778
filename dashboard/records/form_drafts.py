"""The input of a page's form, from the request or a draft. It is stored before the view runs, and
dropped once it is saved.

Every form page is a `form_page`. A posted form with a mark (writes/drafts.py) is stored first.
An opened draft reaches the same view as its `request.form_input`, with a new one-time token, so
that opening it cannot send anything.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import wraps
from http import HTTPStatus
from typing import Any, Concatenate, NamedTuple, ParamSpec

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django_htmx.http import trigger_client_event

from dashboard.core import after_response, rate_limit, sealed
from dashboard.gateway import Rejected, whole_number
from dashboard.people.context import RequestContext, StaffRequest, page
from dashboard.people.keys import workspace_name
from dashboard.people.sessions import min_seconds_left
from dashboard.schema.resource import Resource
from dashboard.writes import drafts, ledger
from dashboard.writes.draft_entries import draft_entries
from dashboard.writes.drafts import PARAM, Mark
from dashboard.writes.ledger import new_token
from dashboard.writes.models import Draft, Write
from dashboard.writes.outcomes import stored_error
from dashboard.writes.sidebar import sidebar_of

PREFILLED_SUBMIT = "filled"  # the field of a form that is sent as its address fills it, unseen
MAX_OFFERS = 20  # drafts of one form that are looked through
REFUSED = "refused"  # of such an address: the write that was rejected
IN_PLACE = "in-place"  # of a form with one field of a record alone: the name of that field
DRAFT_GONE_MESSAGE = "That unfinished form has already been saved or discarded."
UNREADABLE = "We can't open that unfinished form any more: the encryption key has changed."
APPLY_SUGGESTION = (
    "use"  # a button: the name of a control, what stands in it and the number meant instead
)
DRAW = "draw"  # a button: the names of the fields to draw, which the form has in hidden inputs
DRAFT_STORED_MESSAGE = "What you typed is kept under Unfinished."
P = ParamSpec("P")
FormView = Callable[Concatenate[RequestContext, P], HttpResponse]


@dataclass(frozen=True)
class RedisplayReason:
    """Why a form is rendered again with its input.

    stored_at: when the draft was stored; None after an expired CSRF token. refusal: why the service
    rejected the form when it was sent again.
    """

    stored_at: datetime | None = None
    refusal: Rejected | None = None


@dataclass(frozen=True, kw_only=True)
class FormInput:
    """Input that a form view uses instead of `request.POST` and `request.GET`.

    data: the submitted fields or those of a draft; None for a new form. params: the query of the
    form's URL. show_only: the form is rendered, neither validated nor sent. mark: identifies the
    draft. filled: the fields come from the form's URL, sent without anyone seeing them.
    """

    data: QueryDict | None = None
    params: QueryDict = field(default_factory=QueryDict)
    show_only: bool = False
    mark: Mark | None = None
    redisplay_reason: RedisplayReason | None = None
    filled: bool = False

    @property
    def token(self) -> str:
        return self.get("token")

    def get(self, name: str) -> str:
        """Return a submitted field; "" without one."""
        return str(self.data.get(name, "")) if self.data is not None else ""

    def has(self, name: str) -> bool:
        return self.data is not None and name in self.data


def form_input(ctx: RequestContext) -> FormInput:
    given: FormInput = ctx.request.form_input
    return given


class SendFilled(NamedTuple):
    """Fields of a button that submits the form at `url` with the values from that URL, unseen."""

    url: str
    token: str
    draft: str


def send_filled(ctx: RequestContext, url: str, label: str) -> SendFilled:
    mark = new_mark(ctx, label, address=url)
    return SendFilled(url, mark.token, mark.signed())


def form_page(view: FormView[P]) -> Callable[Concatenate[StaffRequest, P], HttpResponse]:
    """Wrap a view with a form so that nothing typed is lost. Sets `request.form_input`."""
    render_page = page(view)

    @wraps(view)
    def wrapped(request: StaffRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if not hasattr(request, "form_input"):  # else its CSRF token had expired (views.py)
            if request.method == "POST" and (not request.htmx or IN_PLACE in request.POST):
                return _submit(request, lambda: render_page(request, *args, **kwargs))
            request.form_input = _begin(request)
        return render_page(request, *args, **kwargs)

    return wrapped


def request_full_submit() -> HttpResponse:
    """Tell htmx to let the browser post the form itself. Nothing was sent."""
    return trigger_client_event(HttpResponse(status=HTTPStatus.NO_CONTENT), "post-whole")


def drop_draft(ctx: RequestContext) -> None:
    if mark := form_input(ctx).mark:
        after_response.run_best_effort(drafts.delete_draft, mark=mark)


def finish_draft(ctx: RequestContext) -> None:
    if mark := form_input(ctx).mark:
        after_response.run_best_effort(drafts.finish_draft, mark=mark)


def drop_saved(ctx: RequestContext) -> None:
    """Drop the draft of a saved form whose write has the token of an earlier one."""
    mark = form_input(ctx).mark
    if mark and ledger.form_token_of(form_input(ctx).token) != mark.token:
        drop_draft(ctx)


def drop_if_repeated(ctx: RequestContext) -> None:
    """Drop the draft that a repeated submission stored after the form was saved."""
    if form_input(ctx).mark != posted_mark(ctx.request):
        drop_draft(ctx)


def form_context(
    ctx: RequestContext, label: str, *, begun: QueryDict | None = None
) -> dict[str, Any]:
    """Return the page context of a form's draft. `label`: the form's name, such as "New contact".
    `begun`: the fields of a new form that nothing else has filled.
    """
    mark = form_input(ctx).mark
    if mark is None:
        blank = drafts.digest_of(begun) if begun is not None else ""
        mark = new_mark(ctx, label)._replace(blank=blank)
    is_posted = ctx.request.method == "POST"
    return {
        "draft": mark.signed(),
        "token": ledger.next_token(mark.token, ctx.user) if is_posted else mark.token,
        "redisplay_reason": form_input(ctx).redisplay_reason,
        "session_seconds": str(min_seconds_left(ctx.request)),
    }


def offers(ctx: RequestContext, resource: Resource) -> dict[str, Any]:
    """Return the context of the offer above a form: `offer`, its newest draft of the last week or
    None, and `more_offers`, the number of others. A form for another record is another form.
    """
    if form_input(ctx).data is not None or not sidebar_of(ctx.request).forms:
        return {"offer": None, "more_offers": 0}
    own_drafts = drafts.open_drafts(ctx.user).filter(workspace=ctx.workspace)
    of_form = own_drafts.filter(path=ctx.request.path)
    entries = draft_entries(of_form[:MAX_OFFERS], ctx)
    query = ctx.request.GET.urlencode()
    offered = [one for one in entries if not one["is_old"] and one.get("query", query) == query]
    return {"offer": next(iter(offered), None), "more_offers": max(len(offered) - 1, 0)}


def posted_mark(request: HttpRequest) -> Mark | None:
    return drafts.parse_mark(request.POST.get(PARAM, ""))


def new_mark(ctx: RequestContext, label: str, address: str = "") -> Mark:
    """Return the mark of a new form on this page, or on the page at `address`."""
    here = ctx.request.get_full_path() if PARAM not in ctx.params else ctx.request.path
    return Mark(new_token(), ctx.user.pk, ctx.workspace, address or here, label)


def store_changed(ctx: RequestContext, data: Any) -> None:
    """Store a change to the posted form, such as the id of a record that a step created."""
    given = form_input(ctx)
    if given.mark is not None and given.redisplay_reason is None and data is not given.data:
        store(given.mark, data, is_step=True)


def stale_input(request: StaffRequest, mark: Mark) -> FormInput | None:
    """Return the input of a form whose CSRF token has expired: the form is shown again, not sent.

    None if the form belongs to someone else or to another workspace; it is not stored then.
    """
    if not belongs_to(request, mark):
        return None
    return FormInput(
        data=drafts.typed_fields(request.POST),
        params=request.GET,
        show_only=True,
        mark=store(mark, request.POST),
        redisplay_reason=RedisplayReason(),
    )


def store_unsent(request: StaffRequest) -> str:
    """Store a posted form that is not sent. Return its URL, or "" if it could not be stored."""
    mark = posted_mark(request)
    if mark is None or not belongs_to(request, mark):
        return ""
    token = store(mark, request.POST).token
    draft = drafts.open_drafts(request.user).filter(token=token).first()
    return f"{draft.path}?{PARAM}={draft.pk}" if draft else ""


def belongs_to(request: StaffRequest, mark: Mark) -> bool:
    return (mark.person, mark.workspace) == (request.user.pk, request.user.workspace_id)


def store(mark: Mark, data: QueryDict, *, is_step: bool = False) -> Mark:
    """Store a posted form and return its mark. A failure does not stop the save."""
    try:
        drafts.store_draft(mark, data, is_step=is_step)
    except drafts.NotStored as why:
        if why.reason == "saved":  # and typed in again since
            return store(drafts.with_new_token(mark), data)
    return mark


def _submit(request: StaffRequest, view: Callable[[], HttpResponse]) -> HttpResponse:
    mark = posted_mark(request)
    if mark is None:
        request.form_input = _posted(request)
        return view()
    if not belongs_to(request, mark):
        return request_full_submit() if request.htmx else render_not_own(request, mark)
    given = _posted(request)
    if PARAM in request.GET:  # opened again: the mark has the query that the form began with
        given = replace(given, params=QueryDict(mark.query))
    request.form_input = replace(given, mark=store(mark, given.data or request.POST))
    try:
        return view()
    except Exception:
        if not after_response.is_saved():
            messages.info(request, DRAFT_STORED_MESSAGE)
        raise


def _posted(request: StaffRequest) -> FormInput:
    """Return the input of a submitted form. The button beside an error applies the number it
    suggests: the form is then rendered again, not sent. So it is to draw more of its fields.
    """
    name, _, numbers = request.POST.get(APPLY_SUGGESTION, "").partition(":")
    if not numbers:
        return FormInput(data=request.POST, params=request.GET, show_only=DRAW in request.POST)
    typed, _, meant = numbers.partition(":")
    data = request.POST.copy()
    data[name] = data.get(name, "").replace(typed, meant, 1)
    return FormInput(data=data, params=request.GET, show_only=True)


def _begin(request: StaffRequest) -> FormInput:
    """Return the input of a page that is fetched: empty, or the draft named in the URL.

    The draft belongs to the form opened now. A form that htmx posts is never stored.
    """
    if request.method == "POST":
        return _posted(request)
    write = _refused_write(request)
    draft = _requested_draft(request, write)
    if draft is None:
        return FormInput(params=request.GET)
    try:
        typed = drafts.read_draft(draft)
    except sealed.DecryptionError:
        messages.error(request, UNREADABLE)
        return FormInput(params=request.GET)
    address = f"{draft.path}?{typed.query}" if typed.query else draft.path
    mark = Mark(new_token(), request.user.pk, draft.workspace, address, typed.label)
    error = stored_error(write) if write else None
    refusal = error if isinstance(error, Rejected) else None
    after_response.run_after_response(drafts.assign_draft, draft=draft, mark=mark)
    return FormInput(
        data=typed.data,
        params=QueryDict(typed.query),
        show_only=True,
        mark=mark,
        redisplay_reason=RedisplayReason(draft.stored_at, refusal),
    )


def _requested_draft(request: StaffRequest, refused: Write | None) -> Draft | None:
    """Return the draft of ?draft=17. Adds a message if there is none."""
    pk = request.GET.get(PARAM)
    if pk is None:
        return None
    own_drafts = drafts.open_drafts(request.user)
    if refused:  # the first write of the form is still unclear
        own_drafts = Draft.objects.filter(person=request.user, token=refused.form_token)
    here = own_drafts.filter(workspace=request.user.workspace_id, path=request.path)
    draft = here.filter(pk=whole_number(pk) or 0).first()
    if draft is None:
        messages.info(request, DRAFT_GONE_MESSAGE)
    return draft


def _refused_write(request: StaffRequest) -> Write | None:
    pk = whole_number(request.GET.get(REFUSED, ""))
    refused = Write.objects.filter(person=request.user, state=Write.State.NOT_SAVED)
    return refused.filter(pk=pk).first() if pk else None


def render_not_own(request: StaffRequest, mark: Mark) -> HttpResponse:
    """Render the page for a form of another person or workspace: stored for its owner, not sent."""
    context = {
        "workspace": workspace_name(mark.workspace),
        "mine": mark.person == request.user.pk,
        "kept": store_for_owner(mark, request.POST),
        "blank": drafts.is_blank(mark, request.POST),
    }
    return render(request, "records/wrong_session.html", context, status=HTTPStatus.CONFLICT)


def store_for_owner(mark: Mark, data: QueryDict) -> Mark | None:
    """Store a form for its owner, who is not signed in, at most MAX_UNSIGNED times an hour. Return
    None if that failed.
    """
    bound = {"most": drafts.MAX_UNSIGNED, "seconds": drafts.AN_HOUR}
    if rate_limit.exceeded("unsigned-forms", mark.person, **bound):
        return None
    try:
        drafts.store_draft(mark, data)
    except drafts.NotStored as why:
        return store_for_owner(drafts.with_new_token(mark), data) if why.reason == "saved" else None
    return mark
