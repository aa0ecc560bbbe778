"""Test: read each area of the service once with a pair of keys, and say in words what came."""

from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass

from django.conf import settings
from django.views.decorators.debug import sensitive_variables

from dashboard.credentials import services
from dashboard.gateway import (
    CONTACTS,
    ENDPOINTS,
    Busy,
    Endpoint,
    Gateway,
    GatewayError,
    Keys,
    KeysRefused,
    NotAllowed,
    NotOffered,
    Unavailable,
)

AREAS = {endpoint.name.capitalize(): endpoint for endpoint in ENDPOINTS}

WORKS = "works"
NOT_IN_PLAN = "not in your plan"
REFUSED = "refused"
UNREACHABLE = "unreachable"
FAILED = "failed"

_WORDS: dict[type[GatewayError], tuple[str, str]] = {
    NotAllowed: (NOT_IN_PLAN, "The workspace's plan does not include this area."),
    KeysRefused: (REFUSED, "The service does not accept these keys."),
    Unavailable: (UNREACHABLE, "The service could not be reached, or gave no readable answer."),
    Busy: (UNREACHABLE, "The service is busy. Try again in a moment."),
    NotOffered: (FAILED, "The service does not offer this area."),
}


_LOOKS = {WORKS: "paid", NOT_IN_PLAN: "cancelled", UNREACHABLE: "due"}


@dataclass(frozen=True)
class Finding:
    """What came of reading one area: its name, a word of those above, a sentence ("" if none)."""

    area: str
    verdict: str
    note: str = ""

    @property
    def status(self) -> str:
        """The look of the verdict, one of the status chips."""
        return _LOOKS.get(self.verdict, "overdue")


@sensitive_variables()
def probe(keys: Keys) -> list[Finding]:
    """Read one row of every area, side by side, within the deadline of one call and a second."""
    gateway = services.gateway(keys)
    pool = ThreadPoolExecutor(max_workers=len(AREAS))
    calls = {area: pool.submit(_read, gateway, area, AREAS[area]) for area in AREAS}
    done, _ = wait(calls.values(), timeout=settings.API_TIMEOUT + 1)
    pool.shutdown(wait=False, cancel_futures=True)
    late = "The service did not answer in time."
    return [
        call.result() if call in done else Finding(area, UNREACHABLE, late)
        for area, call in calls.items()
    ]


def _read(gateway: Gateway, area: str, endpoint: Endpoint) -> Finding:
    try:
        gateway.list(endpoint, page_size=1)
    except GatewayError as error:
        verdict, note = _WORDS.get(
            type(error), (FAILED, error.message or "It answered with an error.")
        )
        return Finding(area, verdict, note)
    return Finding(area, WORKS)


def accepted(keys: Keys) -> bool:
    """Whether the service takes these keys, by one read of an area that no plan lacks."""
    return _read(services.gateway(keys), "Contacts", CONTACTS).verdict == WORKS


def refused_everywhere(findings: list[Finding]) -> bool:
    """Whether the keys themselves are the trouble."""
    return all(finding.verdict == REFUSED for finding in findings)


def works_anywhere(findings: list[Finding]) -> bool:
    """Whether the keys are good, at least for one area."""
    return any(finding.verdict == WORKS for finding in findings)
