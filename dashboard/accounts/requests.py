"""Stored requests for changes of accounts; dashboard/staff/approvals.py has their rules."""

from datetime import timedelta

from django.db.models import QuerySet
from django.utils import timezone

from dashboard import retention
from dashboard.accounts.models import AccountRequest

WAITS_FOR = timedelta(days=3)


def waiting() -> QuerySet[AccountRequest]:
    """The requests that have not expired, the oldest first, with the people they name."""
    since = timezone.now() - WAITS_FOR
    found = AccountRequest.objects.filter(asked_at__gt=since)
    return found.select_related("person", "asked_by").order_by("pk")


def purge() -> int:
    """Delete expired requests; how many."""
    since = timezone.now() - WAITS_FOR
    return retention.delete(AccountRequest.objects.filter(asked_at__lte=since))
