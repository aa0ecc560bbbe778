"""Reads what the page Today shows: one round of calls side by side, and what of it is due."""

from collections.abc import Sequence
from concurrent.futures import Future
from datetime import date, timedelta
from functools import partial
from typing import NamedTuple

from dashboard.display import cells
from dashboard.display.cells import NO_NAMES
from dashboard.documents import open_invoices
from dashboard.documents.open_invoices import OpenInvoices
from dashboard.gateway import (
    CONTACTS,
    DEALS,
    LEADS,
    TASKS,
    Endpoint,
    Gateway,
    GatewayError,
    Page,
    Record,
    side_by_side,
)
from dashboard.pages.blocks import ROWS
from dashboard.reader.lookups import Pointer
from dashboard.resources.tasks import OPEN_STATUSES, end_of

SOON = 7  # days
CUSTOMER = cells.pointer(CONTACTS, "customer_id")
CONTACT = cells.pointer(CONTACTS, "cstid")


TASK_PAGE = 50
DEAL_PAGE = 100
Answer = Page | GatewayError


class Dated(NamedTuple):
    """A record and the day that it is due."""

    day: date
    record: Record


class Sources:
    """The answers of all calls of the page, each a result or its error, and what of them is due, in
    the order of the page. `names`: of the contacts that the blocks show.
    """

    def __init__(self, gateway: Gateway, today: date, me: int | None = None) -> None:
        """Begin all calls. me: the person's own user id in the service, if it is known."""
        self._today, self.names = today, NO_NAMES
        start = partial(_start, gateway)
        due: dict[str, object] = {"due_date_to": today}
        every = [{**due, "status": status} for status in OPEN_STATUSES]
        self._tasks = [start(TASKS, asked, TASK_PAGE) for asked in every]
        mine = [{**asked, "assigned_user_id": me} for asked in every if me]
        self._mine = [start(TASKS, asked, TASK_PAGE) for asked in mine]
        self._deals = start(DEALS, {}, DEAL_PAGE)
        self._leads = start(LEADS, {"lead_status": "New"}, ROWS)
        self._invoices = open_invoices.begin(gateway)

    def wait(self) -> None:
        """Take the answers. A second round is needed only where there are more pages of open
        invoices than the last time.
        """
        self.invoices, self.overdue = self._open_invoices()
        self.tasks = [call.result() for call in self._tasks]
        self.deals, self.leads = self._deals.result(), self._leads.result()
        mine = [call.result() for call in self._mine]
        self.due_tasks = _due_tasks(self.tasks, mine, self._today)
        self.closing = _closing(self.deals, self._today)

    def _open_invoices(self) -> tuple[OpenInvoices | GatewayError, list[Record]]:
        try:
            invoices = open_invoices.by_due_date(self._invoices.result())
        except GatewayError as error:
            return error, []
        return invoices, invoices.overdue(self._today)

    @property
    def is_empty(self) -> bool:
        """Whether the service says of every call that there is nothing."""
        pages = [*self.tasks, self.deals, self.leads]
        totals = [page.total_records for page in pages if isinstance(page, Page)]
        known = self.invoices if isinstance(self.invoices, OpenInvoices) else None
        return known is not None and known.rows.total == 0 and totals == [0] * len(pages)

    def pointers(self, debtors: list[int]) -> list[Pointer]:
        """The contacts whose names the blocks show, these debtors among them."""
        others = [*self.due_tasks[: 2 * ROWS], *self.closing[:ROWS]]
        numbers = [*debtors, *(dated.record["cstid"] for dated in others)]
        return [(CONTACTS, number) for number in numbers if isinstance(number, int) and number > 0]


def _start(
    gateway: Gateway, endpoint: Endpoint, filters: dict[str, object], size: int
) -> "Future[Answer]":
    return side_by_side.start(partial(gateway.list, endpoint, filters=filters, page_size=size))


def _due_tasks(tasks: Sequence[Answer], assigned: Sequence[Answer], today: date) -> list[Dated]:
    """Tasks that end today or ended before: the person's own first, then the earliest."""
    own = {record.id for record in _records(assigned)}
    dated = (Dated(end_of(record).date(), record) for record in _records(tasks))
    due = [each for each in dated if each.day <= today]
    return sorted(due, key=lambda each: (each.record.id not in own, each.day, each.record.id))


def _records(answers: Sequence[Answer]) -> list[Record]:
    return [record for page in answers if isinstance(page, Page) for record in page.records]


def _closing(deals: Answer, today: date) -> list[Dated]:
    """Deals that are expected to close within a week, the earliest first."""
    last = today + timedelta(days=SOON)
    dated = ((record["deal_expected_close_date"], record) for record in _records([deals]))
    closing = [Dated(day, each) for day, each in dated if isinstance(day, date)]
    soon = [each for each in closing if today <= each.day <= last]
    return sorted(soon, key=lambda each: (each.day, each.record.id))
