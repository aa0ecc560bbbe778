"""What forms do about drafts: keep what was typed before anything else, drop it once it is saved.

Every page of a resource is wrapped in `keeping`. A posted form that carries a mark (drafts/marks)
is kept before its view runs; a view that goes on to another page is done with its form. A draft
that is taken up again is shown by the same view, as a step inside an unfinished form, and without
its one-time token, so that nothing can be sent by that.
"""

import re
from collections.abc import Callable
from datetime import datetime
from functools import wraps
from http import HTTPStatus
from typing import Any, Concatenate, NamedTuple, ParamSpec, cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils import timezone

from dashboard import cipher
from dashboard.accounts.sessions import seconds_left
from dashboard.drafts import marks
from dashboard.drafts import services as drafts
from dashboard.drafts.marks import Mark
from dashboard.drafts.models import Draft
from dashboard.outbox.models import Submission
from dashboard.records.context import StaffRequest, workspace_of
from dashboard.records.pages import picker_steps

PARAM = "draft"  # of an address: the draft to take up; of a form: its mark
REFUSED = "refused"  # of such an address: the write that was refused
TOKEN = re.compile(r"[\w-]{1,60}")
GONE = "That unfinished form is not there any more: it was saved or discarded."
SHUT = "That unfinished form cannot be opened any more: the encryption key has changed."
KEPT = "What you typed is kept under Unfinished."
P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]


class Shown(NamedTuple):
    """Why a form is shown again with what was typed: `kept_at` for a draft, else it went stale.

    refused: it was sent again, and the service did not take it.
    """

    mark: Mark
    kept_at: datetime | None = None
    refused: bool = False


def keeping(view: View[P]) -> View[P]:
    """Wrap a page so that nothing typed on it is lost."""

    @wraps(view)
    def kept(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        staff = cast(StaffRequest, request)
        if request.method == "POST" and not staff.htmx:
            return _posted(staff, lambda: view(request, *args, **kwargs))
        if request.method == "GET" and PARAM in request.GET:
            _take_up(staff)
        return view(request, *args, **kwargs)

    return kept


def context(request: StaffRequest, label: str) -> dict[str, Any]:
    """What a form's page needs; `label` is what the form is called, such as "New contact"."""
    shown: Shown | None = getattr(request, "shown_again", None)
    posted: Mark | None = getattr(request, "kept_under", None)
    mark = shown.mark if shown else posted or _new_mark(request, label)
    fresh = request.method == "GET"
    return {
        "draft": mark.signed(),
        "shown_again": shown,
        "offers": _offers(request, mark.path) if fresh else [],
        "session_seconds": str(seconds_left(request.session.session_key)),
    }


def refused_url(draft: Draft, again: Submission) -> str:
    """Where a form stands with what was typed and why it was refused when it was sent again."""
    return f"{draft.path}?{PARAM}={draft.pk}&{REFUSED}={again.pk}"


def keep_changed(request: StaffRequest, data: Any) -> None:
    """Keep what a step has made of the posted form, such as the id of what it has just created."""
    mark: Mark | None = getattr(request, "kept_under", None)
    if mark is not None and data is not request.POST:
        keep(mark, data)


def show_stale(request: StaffRequest, mark: Mark) -> bool:
    """Prepare a request whose CSRF token is stale so that its view only shows the form again.

    False if the form is not of this desk; it is left alone then.
    """
    if not fits(request, mark):
        return False
    mark = keep(mark, request.POST)
    _show(request, drafts.typed_fields(request.POST), Shown(mark))
    return True


def fits(request: StaffRequest, mark: Mark) -> bool:
    """Whether a form was opened by the person who posts it, with keys of the same workspace."""
    return (mark.person, mark.workspace) == (request.user.pk, workspace_of(request.user))


def keep(mark: Mark, data: QueryDict, token: str = "") -> Mark:
    """Keep what was posted; the mark it is kept under. That it cannot be kept stops nobody."""
    try:
        drafts.store_draft(mark, data, sent_with=token)
    except drafts.NotStored as why:
        if why.reason != "saved":
            return mark
        mark = drafts.with_new_key(mark)  # the form was saved before, and typed in again since
        return keep(mark, data, token)
    return mark


def _posted(request: StaffRequest, view: Callable[[], HttpResponse]) -> HttpResponse:
    mark = marks.read(request.POST.get(PARAM, ""))
    if mark is None or picker_steps.AGAIN in request.POST:
        return view()
    if not fits(request, mark):
        return not_this_desk(request, mark)
    posted = TOKEN.fullmatch(request.POST.get("token", ""))
    token = posted[0] if posted else ""
    mark = keep(mark, request.POST, token)
    request.kept_under = mark  # type: ignore[attr-defined]
    try:
        response = view()
    except Exception:
        drafts.release_draft(mark)
        messages.info(request, KEPT)
        raise
    _settle(mark, token, response)
    return response


def _settle(mark: Mark, token: str, response: HttpResponse) -> None:
    """A page that goes on to another is done with its form, unless its outcome is not known."""
    target = response.headers.get("Location", "")
    if not target:
        drafts.release_draft(mark)
    elif target.startswith("/unsure/"):
        drafts.mark_unresolved(mark, token)
    else:
        drafts.mark_saved(mark)


def _take_up(request: StaffRequest) -> None:
    """Make this request show a draft, which now belongs to the form that is being opened."""
    pk = request.GET[PARAM]
    mine = drafts.open_drafts(request.user, workspace_of(request.user)).filter(path=request.path)
    draft = mine.filter(pk=int(pk)).first() if re.fullmatch("[0-9]{1,18}", pk) else None
    if draft is None:
        messages.info(request, GONE)
        return
    try:
        typed = drafts.read_draft(draft)
    except cipher.Unreadable:
        messages.error(request, SHUT)
        return
    token, refused = _refused_with(request, draft), REFUSED in request.GET
    request.GET = QueryDict(typed.query)
    address = f"{draft.path}?{typed.query}" if typed.query else draft.path
    mark = Mark(marks.new_key(), request.user.pk, draft.workspace, address, typed.label)
    drafts.assign_draft(draft, mark)
    _show(request, typed.data, Shown(mark, draft.kept_at, refused), token)


def _refused_with(request: StaffRequest, draft: Draft) -> str:
    """The token of a write of this form that was refused. It is used up: the form's view gets the
    same answer for it, shows it beside the fields, and nothing can be sent by that.
    """
    pk = request.GET.get(REFUSED, "")
    if not draft.sent_with or not re.fullmatch("[0-9]{1,18}", pk):
        return ""
    found = Submission.objects.filter(pk=int(pk), person=request.user).first()
    refused = found and found.state == Submission.State.NOT_SAVED
    of_form = found and found.token.startswith(f"{draft.sent_with}+")
    return found.token if found and refused and of_form else ""


def _show(request: StaffRequest, data: QueryDict, shown: Shown, token: str = "") -> None:
    if token:
        data["token"] = token
    else:
        data[picker_steps.AGAIN] = "1"
    request.POST = data  # type: ignore[assignment]
    request.method = "POST"
    request.shown_again = shown  # type: ignore[attr-defined]


def _new_mark(request: StaffRequest, label: str) -> Mark:
    address = request.get_full_path() if PARAM not in request.GET else request.path
    return Mark(marks.new_key(), request.user.pk, workspace_of(request.user), address, label)


def _offers(request: StaffRequest, path: str) -> list[dict[str, Any]]:
    """The drafts that belong to the form at hand, newest first."""
    mine = drafts.open_drafts(request.user, workspace_of(request.user))
    found = mine.filter(path=path, sent_with="").defer("sealed")
    return [offer(draft) for draft in found[:3]]


def offer(draft: Draft) -> dict[str, Any]:
    """How a draft is offered."""
    return {
        "draft": draft,
        "at": moment(draft.kept_at),
        "url": f"{draft.path}?{PARAM}={draft.pk}",
        "discard_url": f"/unfinished/{draft.pk}/discard/",
        "put_back_url": f"/unfinished/{draft.pk}/put-back/",
    }


def moment(at: datetime) -> str:
    """When something was typed, as people say it."""
    local, today = timezone.localtime(at), timezone.localdate()
    if local.date() == today:
        return f"{local:%H:%M}"
    days = (today - local.date()).days
    return f"{local:%H:%M} yesterday" if days == 1 else f"{local:%H:%M} on {local.day} {local:%b}"


def not_this_desk(request: StaffRequest, mark: Mark) -> HttpResponse:
    """Nothing is sent with anybody else's keys, nor with those of another workspace."""
    context = {
        "mark": mark,
        "mine": mark.person == request.user.pk,
        "kept": keep_for_owner(mark, request.POST),
    }
    return render(request, "drafts/not_this_desk.html", context, status=HTTPStatus.CONFLICT)


def keep_for_owner(mark: Mark, data: QueryDict) -> Mark | None:
    """Keep a form for the person who opened it, who is not the one asking; None if that failed."""
    try:
        drafts.store_unsigned_draft(mark, data)
    except drafts.NotStored as why:
        return keep_for_owner(drafts.with_new_key(mark), data) if why.reason == "saved" else None
    return mark
