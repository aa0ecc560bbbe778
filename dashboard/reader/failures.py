"""Describes a gateway error for the person: title, text and HTTP status of the page or banner.

No other module words a gateway error. An error that the dashboard raises itself carries its own
`title` and, if it needs them, `text` and `page_status`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any

from dashboard.core.service_name import SERVICE, SERVICE_AT_START
from dashboard.gateway import errors
from dashboard.people.keys import KeysUnreadable, NoKeys
from dashboard.reader.rejections import Reason, reasons, service_words


@dataclass(frozen=True)
class Failure:
    """The content of a page or banner about a failure.

    `status`: the HTTP status of the dashboard's page. `retry`: offer the same URL again. `connect`:
    offer the page of the API keys. `details`: the service's own words. `broken`: an error that an
    administrator should look for.
    """

    title: str
    text: str
    status: int
    retry: bool = False
    connect: bool = False
    details: Sequence[str] = ()
    broken: bool = True


# Looked up along the method resolution order of the error, so the most specific entry is used.
_FAILURES: dict[type[errors.GatewayError], Failure] = {
    NoKeys: Failure(
        f"Connect {SERVICE} first",
        "You have no connection yet. Connecting takes about a minute.",
        HTTPStatus.FAILED_DEPENDENCY,
        connect=True,
        broken=False,
    ),
    KeysUnreadable: Failure(
        "Enter your API keys again",
        "We can't read your stored API keys any more. Nothing else is affected.",
        HTTPStatus.FAILED_DEPENDENCY,
        connect=True,
    ),
    errors.KeysRefused: Failure(
        f"{SERVICE_AT_START} rejected your API keys",
        "They may have been revoked, or belong to another workspace. Connect a new pair.",
        HTTPStatus.FAILED_DEPENDENCY,
        connect=True,
    ),
    errors.NotAllowed: Failure(
        "Not in your plan",
        f"Your plan in {SERVICE} doesn't include this. If it has changed, test your API keys "
        "again under Connection.",
        HTTPStatus.FORBIDDEN,
    ),
    errors.Forbidden: Failure(
        f"{SERVICE_AT_START} doesn't let you do this",
        "Your API keys are valid but don't allow this. Ask the person who manages them.",
        HTTPStatus.FORBIDDEN,
    ),
    errors.Missing: Failure(
        "Record not found",
        "It was deleted, or the address is mistyped.",
        HTTPStatus.NOT_FOUND,
        broken=False,
    ),
    errors.Rejected: Failure(
        f"{SERVICE_AT_START} rejected this",
        "Nothing was changed.",
        HTTPStatus.BAD_GATEWAY,
        retry=True,
    ),
    errors.Busy: Failure(
        f"{SERVICE_AT_START} is busy",
        "There were too many requests. Try again in a moment.",
        HTTPStatus.SERVICE_UNAVAILABLE,
        retry=True,
    ),
    errors.NotOffered: Failure(
        f"{SERVICE_AT_START} doesn't support this",
        "Nothing was changed. Everything else works.",
        HTTPStatus.NOT_IMPLEMENTED,
    ),
    errors.OutcomeUnknown: Failure(
        "Not sure whether it was saved",
        f"{SERVICE_AT_START} gave no clear answer. Check for the record before you try again.",
        HTTPStatus.BAD_GATEWAY,
    ),
    errors.Paused: Failure(
        f"{SERVICE_AT_START} is not answering",
        "Nothing was changed. Try again in a few seconds.",
        HTTPStatus.SERVICE_UNAVAILABLE,
        retry=True,
    ),
    errors.Unavailable: Failure(
        f"{SERVICE_AT_START} can't be reached",
        "Nothing was changed. Try again in a moment.",
        HTTPStatus.SERVICE_UNAVAILABLE,
        retry=True,
    ),
}


KEY_LOST = Failure(
    "We can't open this any more",
    "The encryption key has changed since it was stored. Nothing was sent. "
    "Start again, or ask an administrator to restore the old encryption key.",
    HTTPStatus.FAILED_DEPENDENCY,
)
_NOT_USABLE = Failure(
    f"{SERVICE_AT_START} didn't answer properly",
    "It may be under maintenance. Nothing was changed. Try again in a moment.",
    HTTPStatus.SERVICE_UNAVAILABLE,
    retry=True,
)
_OWN = Failure("", "", HTTPStatus.CONFLICT)
_SILENT = replace(
    _FAILURES[errors.Paused], text="It took too long. Nothing was changed. Try again in a moment."
)
_NOT_SENT = Failure(
    "Not sent",
    f"{SERVICE} would reject this. Nothing was changed.",
    HTTPStatus.UNPROCESSABLE_ENTITY,
)


def summary(error: errors.GatewayError) -> str:
    """Return the failure in one sentence, without the service's message, which may repeat record
    data.
    """
    return f"{describe(error).title}."


def in_words(error: errors.GatewayError, form: Mapping[str, Any] | None = None) -> str:
    """Describe the failure in one line, with the reasons by the labels of `form`: form fields by
    name.
    """
    title = f"{describe(error).title}."
    if not isinstance(error, errors.Rejected):
        return title
    fields = form or {}
    found = [reason for reason in reasons(error, fields) if reason.field or not error.sent]
    return " ".join((title, *(_labelled(reason, fields) for reason in found)))


def _labelled(reason: Reason, fields: Mapping[str, Any]) -> str:
    field = fields.get(reason.field)
    label = field and (field.part_label(reason.part) or field.label)
    return f"{label}: {reason.text}" if label else reason.text


def describe(error: errors.GatewayError) -> Failure:
    kinds = (kind for kind in type(error).__mro__ if kind in _FAILURES)
    kind = next(kinds, errors.GatewayError)
    if title := getattr(error, "title", ""):
        return _own_words(error, title, _FAILURES.get(kind, _OWN))
    if kind is errors.Rejected and isinstance(error, errors.Rejected) and not error.sent:
        words = " ".join(words for texts in error.fields.values() for words in texts)
        return replace(_NOT_SENT, text=words or _NOT_SENT.text)
    if kind is errors.Unavailable and isinstance(error, errors.Unavailable) and error.reached:
        is_silent = error.reason == errors.NO_ANSWER
        return replace(_SILENT if is_silent else _NOT_USABLE, details=service_words(error))
    return replace(_FAILURES[kind], details=service_words(error))


def _own_words(error: errors.GatewayError, title: str, failure: Failure) -> Failure:
    """Replace title, text and status with those that the error carries. A conflict is not
    retried.
    """
    status = getattr(error, "page_status", failure.status)
    retry = failure.retry and status != HTTPStatus.CONFLICT
    text, details = getattr(error, "text", ""), service_words(error)
    return replace(failure, title=title, text=text, status=status, retry=retry, details=details)
