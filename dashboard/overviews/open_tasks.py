"""Open tasks, of which the service lists those of one status and of some days, not of a contact."""

from collections.abc import Iterable
from datetime import datetime
from functools import partial

from django.utils import timezone

from dashboard.core.templates import address
from dashboard.gateway import TASKS, Gateway, Page, Record, concurrency, whole_number
from dashboard.people.context import RequestContext
from dashboard.records.panels import PanelRow
from dashboard.resources.tasks import OPEN_STATUSES, done_action
from dashboard.schema import defaults, values
from dashboard.schema.values import DisplayValue
from dashboard.text.dates import late_by, relative_day

PAGE_SIZE = 100


class OpenTasks:
    """The first page of each open status that was read, and their tasks by when they end."""

    def __init__(self, pages: Iterable[Page]) -> None:
        self.pages = list(pages)
        self.tasks = by_end(record for page in self.pages for record in page.records)

    @property
    def total(self) -> int | None:
        """Return the number of open tasks; None if the service does not say, or a status was not
        read.
        """
        totals = [page.total_records for page in self.pages if page.total_records is not None]
        return sum(totals) if len(totals) == len(OPEN_STATUSES) else None

    @property
    def is_whole(self) -> bool:
        return all(page.is_last for page in self.pages)


class TasksReading:
    """Reads open tasks from its creation on, one page of each status."""

    def __init__(self, gateway: Gateway, **filters: object) -> None:
        self._calls = [
            concurrency.submit(
                partial(
                    gateway.list, TASKS, filters={"status": each, **filters}, page_size=PAGE_SIZE
                )
            )
            for each in OPEN_STATUSES
        ]

    def result(self) -> OpenTasks:
        """Return the tasks. Raises GatewayError."""
        return OpenTasks(concurrency.unwrap(call.result()) for call in self._calls)


def own_user_id(ctx: RequestContext) -> int | None:
    return whole_number(defaults.own_id(ctx))


def end_of(record: Record) -> datetime:
    """Return when a task is due: its end, else its start; far away if it has neither."""
    ends = (record[name] for name in ("end_datetime", "start_datetime"))
    return next((value for value in ends if isinstance(value, datetime)), datetime.max)


def by_end(tasks: Iterable[Record]) -> list[Record]:
    return sorted(tasks, key=lambda each: (end_of(each), each.id))


def task_row(
    ctx: RequestContext, task: Record, back: str, *, subject: DisplayValue = values.EMPTY
) -> PanelRow:
    """Return a task with its due time. back: the URL to return to once it is completed."""
    ends, today = end_of(task), timezone.localdate()
    late = (today - ends.date()).days
    when = "" if ends == datetime.max else relative_day(ends.date(), today)
    return PanelRow(
        values.link(address(TASKS.name, task.id), str(task["title"] or task.id)),
        subject,
        late_by(late) if late > 0 else when,
        late > 0,
        tick=done_action(task, ctx, back),
    )
