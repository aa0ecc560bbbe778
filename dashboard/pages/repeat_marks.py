"""The mark of a record that repeats, and what is kept of it to name it on Today: its title and what
it is about, which follow the record whenever that is read.
"""

from django.utils import timezone

from dashboard import write_status
from dashboard.context import RequestContext
from dashboard.declare.resource import Resource
from dashboard.display import titles
from dashboard.gateway import Record
from dashboard.preferences import repeats
from dashboard.preferences.models import Repeat
from dashboard.text.dates import brief_date


def mark_of(repeat: Repeat) -> str:
    """Such as "Repeats monthly, next on 1 Dec"; "due since 1 Dec" once its day has come."""
    today = timezone.localdate()
    day = brief_date(repeat.next_on, today)
    when = f"next on {day}" if repeat.next_on > today else f"due since {day}"
    return f"Repeats {repeat.rhythm}, {'due today' if repeat.next_on == today else when}"


def about(ctx: RequestContext, resource: Resource, record: Record) -> str:
    """What a record is about, such as its customer; `ctx` has the names that it refers to."""
    words = (part.value(record, ctx).words for part in resource.details if part.points_to)
    return next(filter(None, words), "")


def with_names(ctx: RequestContext, resource: Resource, record: Record) -> RequestContext:
    """The context with the names that `about` shows."""
    pointing = [part for part in resource.details if part.points_to]
    return titles.fill(ctx, pointing, [record], seconds=titles.LATE_WAIT)


def follow(ctx: RequestContext, resource: Resource, record: Record, repeat: Repeat) -> None:
    """Keep the title of a record that repeats and what it is about as they are now, once the page
    was sent. A name that has not come in time stays as it was.
    """
    pointing = (part for part in resource.details if part.points_to)
    wanted = {(endpoint.name, number) for endpoint, number in titles.pointers(pointing, [record])}
    kept = repeats.title_of(repeat)
    is_named = wanted <= ctx.titles.keys()
    now = resource.title(record), about(ctx, resource, record) if is_named else kept[1]
    if now != kept:
        write_status.after_answer(repeats.rename, repeat=repeat, title=now[0], about=now[1])
