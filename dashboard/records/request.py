"""The request as our middleware leaves it, for the type checker."""

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails

from dashboard.accounts.models import User
from dashboard.gateway import Gateway


class StaffRequest(HttpRequest):
    """A signed-in person's request, with the gateway that carries their keys."""

    user: User
    gateway: Gateway
    htmx: HtmxDetails
