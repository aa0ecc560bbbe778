"""Stored requests for changes of accounts; dashboard/staff/approvals.py has their rules."""

from django.db.models import QuerySet
from django.utils import timezone

from dashboard.accounts.models import WAITS_FOR, AccountRequest


def waiting() -> QuerySet[AccountRequest]:
    """The requests that have not expired, the oldest first, with the people they name."""
    since = timezone.now() - WAITS_FOR
    found = AccountRequest.objects.filter(asked_at__gt=since)
    return found.select_related("person", "asked_by").order_by("pk")
