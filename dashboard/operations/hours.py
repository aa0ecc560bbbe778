"""What was entered in each of the last 24 hours, and how much of it the service did not save."""

from collections.abc import Collection
from datetime import datetime, timedelta
from decimal import Decimal

from django.db.models import Count, Q
from django.db.models.functions import TruncHour
from django.utils import timezone

from dashboard.display import charts, values
from dashboard.display.charts import Item, Numbers, Picture
from dashboard.ledger.models import Write
from dashboard.text.style import PLAIN

HOURS = 24
LOW = 48  # px of the highest column
MARKS = (("b0", "Asked for"), ("b1", "Of that refused or not sure"))
HEADS = ("Hour", "Asked for", "Refused or not sure")
FAILED = Q(state__in=(Write.State.NOT_SAVED, Write.State.NOT_SURE))


def by_hour(now: datetime, workspaces: Collection[str] | None) -> Picture | None:
    """The picture of what people and jobs of the workspaces asked to save; None for all of them
    stands for every workspace. None where nothing was asked for.
    """
    last = timezone.localtime(now).replace(minute=0, second=0, microsecond=0)
    starts = [last - timedelta(hours=number) for number in range(HOURS - 1, -1, -1)]
    asked = Write.objects.filter(asked_at__gte=starts[0])
    if workspaces is not None:
        asked = asked.filter(workspace__in=workspaces)
    counts = asked.annotate(hour=TruncHour("asked_at")).values("hour").order_by()
    found = {
        one["hour"]: (one["all"], one["failed"])
        for one in counts.annotate(all=Count("pk"), failed=Count("pk", filter=FAILED))
    }
    if not found:
        return None
    numbers = [found.get(start, (0, 0)) for start in starts]
    items = [_item(*each) for each in zip(starts, numbers, strict=True)]
    rows: list[Numbers] = [
        (values.text(f"{start:%H:%M}"), each) for start, each in zip(starts, numbers, strict=True)
    ]
    return Picture(
        "Saves by the hour",
        charts.table(HEADS, rows, PLAIN),
        columns=charts.columns(items, LOW),
        marks=MARKS,
    )


def _item(start: datetime, numbers: tuple[int, int]) -> Item:
    count, failed = numbers
    words = f"{start:%H:%M}: {count:,} asked for, {failed:,} refused or not sure"
    label = f"{start:%H}" if start.hour % 3 == 0 else ""
    return Item(label, Decimal(count), f"{count:,}" if count else "", words, due=Decimal(failed))
