"""When the service is looked at for a write of unknown outcome, and when that has ended."""

from django.db import transaction
from django.db.models.functions import Now

from . import repetitions
from .models import Write

RECONCILE_AT = (0, 3, 8, 15, 30)  # seconds after the outcome became unknown; effects may come late


def next_reconciliation(write: Write) -> float | None:
    """Seconds until the service is looked at again for this write; None if the looks are over.

    Until then a late effect may still come. The database's clock decides.
    """
    now = Write.objects.filter(pk=write.pk).values_list(Now(), "done_at").first()
    if now is None or now[1] is None:
        return None
    passed = (now[0] - now[1]).total_seconds()
    return next((at - passed for at in RECONCILE_AT if at > passed), None)


@transaction.atomic
def settle_as_sent_again(*, pk: int) -> None:
    """Settle a write of unknown outcome whose repetition has taken its place, in its job, too."""
    unclear = {"state": Write.State.NOT_SURE, "resolution": Write.Resolution.OPEN}
    sent_again = Write.Resolution.SENT_AGAIN
    if not Write.objects.filter(pk=pk, **unclear).update(resolution=sent_again):
        return
    first = Write.objects.get(pk=pk)
    again = repetitions.sent_again(first) if first.number is not None else None
    if again:
        repetitions.hand_over(first, again)
