"""The pages after an exception: the outcome of the form, and the form itself if it was not sent.

They need no database: without session and person the menu is left out.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from http import HTTPStatus
from typing import Any

from django.db import Error
from django.forms import ChoiceField
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django_htmx.http import reswap, retarget

from dashboard.core import after_response
from dashboard.core.after_response import WriteStatus
from dashboard.reader.failures import Failure
from dashboard.schema.registry import RESOURCES
from dashboard.writes import outcomes
from dashboard.writes.drafts import PARAM, parse_mark, typed_fields
from dashboard.writes.models import Write
from dashboard.writes.outcomes import Outcome

CODES = ("_id", "_ids", "type")  # what ends like this is a number or a code
RETRY_AFTER = "5"  # seconds
LINE = re.compile(r"line-([0-9]+)-([a-z_]+)")
State = Write.State

SAVED = Failure("Saved", "", HTTPStatus.OK)
NOT_NOTED = "It was saved. If it appears under Not sure later, mark it as saved."
NOT_SURE = Failure(
    "Not sure whether it was saved",
    "We sent it but don't know the result. Check whether it was saved before you try again.",
    HTTPStatus.SERVICE_UNAVAILABLE,
)
NOT_SAVED = Failure(
    "Not saved",
    "Entry Desk can't reach its database. Nothing was sent.",
    HTTPStatus.SERVICE_UNAVAILABLE,
)
NOT_SIGNED_IN = Failure(
    "You are not signed in",
    "Entry Desk can't reach its database. Go back in your browser and try again in a moment.",
    HTTPStatus.SERVICE_UNAVAILABLE,
)
AWAY = Failure(
    "Entry Desk can't reach its database",
    "Nothing was changed. Try again in a moment.",
    HTTPStatus.SERVICE_UNAVAILABLE,
    retry=True,
)


def answer(request: HttpRequest, error: object) -> HttpResponse | None:
    """Return the page after `error`; None if nothing was sent and the database is not the cause."""
    last = after_response.last_write()
    if last and last.state == State.SAVED:
        return saved(request)
    if last and last.state == State.NOT_SURE:
        more = {"outcome_url": outcomes.url_for_form(last.token), "saved": _said()}
        return _render(request, NOT_SURE, **more)
    if not isinstance(error, Error):
        return None
    if request.method in ("GET", "HEAD"):
        return _render(request, AWAY, retry_url=request.get_full_path())
    if request.resolver_match and request.resolver_match.url_name == "account_login":
        return _render(request, NOT_SIGNED_IN)
    return _render(request, NOT_SAVED, saved=_said(), **_form(request))


def saved(request: HttpRequest, url: str = "") -> HttpResponse:
    """Return the page that lists what was saved. `url`: the URL of the missed redirect."""
    last = after_response.last_write()
    if last and not url:
        url = _outcome(last).url
        parts = ":" in last.token
    else:
        parts = False
    failure = replace(SAVED, text=NOT_NOTED if after_response.current().database_down else "")
    return _render(request, failure, saved=_said(), open_url=url, parts=parts)


def _said() -> list[str]:
    writes = (each for each in after_response.current().writes if each.state == State.SAVED)
    return list(dict.fromkeys(_outcome(each).message for each in writes))


def _outcome(one: WriteStatus) -> Outcome:
    return outcomes.saved(one.resource, one.operation, one.record_id, one.label)


def _render(request: HttpRequest, failure: Failure, **more: Any) -> HttpResponse:
    htmx = request.headers.get("HX-Request") == "true"
    if htmx:
        message = " ".join([*more.get("saved", ()), failure.text])
        failure = Failure(failure.title, message.strip(), failure.status)
    template = "outcomes/_alert.html" if htmx else "outcomes/outage.html"
    page = render_to_string(template, {"failure": failure, **more})
    response = HttpResponse(page, status=failure.status)
    if failure.status == HTTPStatus.SERVICE_UNAVAILABLE:
        response.headers["Retry-After"] = RETRY_AFTER
    return reswap(retarget(response, "#alerts"), "innerHTML") if htmx else response


def _form(request: HttpRequest) -> dict[str, Any]:
    """Return the posted form so that it can be sent again. Only forms with a mark: others may hold
    a password.
    """
    if parse_mark(request.POST.get(PARAM, "")) is None:
        return {}
    hidden = [(name, value) for name, values in request.POST.lists() for value in values]
    return {
        "action": request.get_full_path(),
        "hidden": hidden,
        "typed": list(_typed(request)),
    }


def _typed(request: HttpRequest) -> Iterator[tuple[str, str]]:
    """Yield (label, text) of filled fields, without choices, whose values are codes."""
    match = request.resolver_match
    resource = RESOURCES.get(match.namespace) if match else None
    forms = resource.create_form.base_fields | resource.edit_form.base_fields if resource else {}
    for name, values in typed_fields(request.POST).lists():
        text = request.POST.get(f"{name}-text") or ", ".join(filter(None, values))
        field, line = forms.get(name), LINE.fullmatch(name)
        coded = isinstance(field, ChoiceField) or (name.endswith(CODES) and text in values)
        if not text or coded:
            continue
        if field:
            yield str(field.label or name), text
        elif line:
            yield f"Line {int(line[1]) + 1}, {line[2].replace('_', ' ')}", text
