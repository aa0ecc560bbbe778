"""Test of a key pair: reads one row of each area of the service and describes the result."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from time import monotonic

from django.conf import settings
from django.views.decorators.debug import sensitive_variables

from dashboard.core.service_name import SERVICE_AT_START
from dashboard.gateway import (
    CONTACTS,
    ENDPOINTS,
    Busy,
    Forbidden,
    GatewayError,
    Keys,
    KeysRefused,
    NotAllowed,
    NotOffered,
    Page,
    Unavailable,
    concurrency,
)
from dashboard.people import keys as services

AREAS = {endpoint.name.capitalize(): endpoint for endpoint in ENDPOINTS}

WORKS = "works"
NOT_IN_PLAN = "not in your plan"
REFUSED = "rejected"
UNREACHABLE = "unreachable"
FAILED = "failed"

_UNREACHABLE = (UNREACHABLE, f"{SERVICE_AT_START} isn't answering. Try again in a few seconds.")
_WORDS: dict[type[GatewayError], tuple[str, str]] = {
    NotAllowed: (NOT_IN_PLAN, ""),
    Forbidden: (FAILED, f"{SERVICE_AT_START} doesn't let these keys read this area."),
    KeysRefused: (REFUSED, f"{SERVICE_AT_START} rejected these keys."),
    Unavailable: _UNREACHABLE,
    Busy: _UNREACHABLE,
    NotOffered: (FAILED, f"{SERVICE_AT_START} doesn't have this area."),
}


_CHIPS = {WORKS: "paid", NOT_IN_PLAN: "off", UNREACHABLE: "soon"}


@dataclass(frozen=True)
class Finding:
    """The result of reading one area.

    verdict: WORKS, NOT_IN_PLAN, REFUSED, UNREACHABLE or FAILED. note: a sentence, or "". count: how
    many records the area has; None where the service does not say. service_words: its own reason.
    """

    area: str
    verdict: str
    note: str = ""
    count: int | None = None
    service_words: Sequence[str] = ()

    @property
    def endpoint(self) -> str:
        return AREAS[self.area].name

    @property
    def status(self) -> str:
        return _CHIPS.get(self.verdict, "late")


@sensitive_variables()
def probe(keys: Keys) -> list[Finding]:
    """Read one row of every area in parallel, in at most API_TIMEOUT plus one second."""
    gateway, until = services.gateway(keys), monotonic() + settings.API_TIMEOUT + 1
    reads = {area: partial(gateway.list, AREAS[area], page_size=1) for area in AREAS}
    calls = {area: concurrency.submit(read) for area, read in reads.items()}
    return [_finding(area, concurrency.result(call, until)) for area, call in calls.items()]


def _finding(area: str, answer: Page | GatewayError) -> Finding:
    if not isinstance(answer, GatewayError):
        return Finding(area, WORKS, count=answer.total_records)
    words = (_WORDS[kind] for kind in type(answer).__mro__ if kind in _WORDS)
    verdict, note = next(words, (FAILED, f"{SERVICE_AT_START} rejected the test."))
    return Finding(area, verdict, note, service_words=[answer.message] if answer.message else [])


def accepted(keys: Keys) -> bool:
    """Return whether the service accepts these keys, by one read of contacts, which every
    plan has.
    """
    try:
        services.gateway(keys).list(CONTACTS, page_size=1)
    except GatewayError:
        return False
    return True


def refused_everywhere(findings: list[Finding]) -> bool:
    return all(finding.verdict == REFUSED for finding in findings)


def fails_everywhere(findings: list[Finding]) -> bool:
    """Return whether no area answered, or all rejected the keys."""
    return {finding.verdict for finding in findings} in ({REFUSED}, {UNREACHABLE})


def works_anywhere(findings: list[Finding]) -> bool:
    return any(finding.verdict == WORKS for finding in findings)
