"""The log of what concerns security: who signed in, failed, was limited, changed roles or keys.

Its lines come from the logger `security`, so that they can be sent somewhere else. They name people
by their id; what a stranger typed is never in them, as it may be a password. Lines of a request
have the network address that it came from.
"""

from typing import Any

import structlog
from allauth.account.adapter import get_adapter
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

from dashboard.core.request_log import current_request

logger = structlog.stdlib.get_logger("security")


def record_event(event: str, *, person: int | None = None, **facts: Any) -> None:
    request = current_request()
    if request is not None:
        facts["address"] = _address(request)
    logger.info(event, person=person, **facts)


def _address(request: HttpRequest) -> str:
    try:
        return str(get_adapter().get_client_ip(request))
    except PermissionDenied:  # the proxy told none that is an address
        return str(request.META.get("REMOTE_ADDR", ""))
