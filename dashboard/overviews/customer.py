"""The customer that a deal or a task is about: how they are reached, and what they owe.

The page names them at once. The rest comes as a fragment, so that no page waits for the customer.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any, NamedTuple

from django.http import HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from dashboard.context import RequestContext, page
from dashboard.declare.resource import Resource
from dashboard.display import cells, values
from dashboard.display.cells import Names
from dashboard.display.money import currencies_of
from dashboard.display.values import DisplayValue
from dashboard.documents.cells import OPEN
from dashboard.gateway import CONTACTS, GatewayError, Page, Record, side_by_side
from dashboard.gateway.records import read_id
from dashboard.markup import address
from dashboard.pages.blocks import is_complete
from dashboard.reader import lookups
from dashboard.resources.invoices import INVOICES
from dashboard.writes.failures import describe

PAGE_SIZE = 100


@dataclass(frozen=True)
class Sum:
    """A sum in words under its label."""

    label: str
    words: str
    is_late: bool = False


class Customer(NamedTuple):
    """Who a record is about, each under what they are to it; url: the address of the rest."""

    title: str
    people: list[tuple[str, DisplayValue]]
    url: str


def customer_of(
    record: Record, names: Names, title: str, fields: dict[str, str]
) -> Customer | None:
    """The contacts in these fields of a record, by field and label; None for none. The last one is
    who is called.
    """
    ids = {field: number for field in fields if (number := read_id(record.get(field)))}
    if not ids:
        return None
    people = [(fields[field], cells.titled(CONTACTS, ids[field], names)) for field in ids]
    first, *others = ids.values()
    query = {"person": str(others[-1])} if others else {}
    return Customer(title, people, address(CONTACTS.name, first, "card", query=query))


@require_safe
@page
def show_card(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    """How a contact is reached, or the ?person= of it, and what the contact owes."""
    person = read_id(ctx.params.get("person", "")) or record_id
    read, invoices = read_customer(ctx, list(dict.fromkeys((person, record_id))))
    known = [each for each in read if isinstance(each, Record)]
    errors = [each for each in (*read, invoices) if isinstance(each, GatewayError)]
    context = {
        "phone": _first(known, lambda each: values.phone(each["cstmobile"])),
        "email": _first(known, lambda each: values.email(each["cstemail"])),
        "sums": sums(ctx, invoices, timezone.localdate()) if isinstance(invoices, Page) else [],
        "failure": describe(errors[0]).title if errors else "",
    }
    return ctx.render("overviews/_card.html", context)


def _first(records: list[Record], value: Callable[[Record], DisplayValue]) -> DisplayValue | None:
    return next((shown for each in records if (shown := value(each))), None)


def read_customer(
    ctx: RequestContext, contacts: Sequence[int]
) -> "tuple[list[Record | GatewayError], Page | GatewayError | None]":
    """These contacts, and a page of the invoices of the last one; None where the plan lacks those.

    One call for each contact that was not read in the last minute, and one for the invoices.
    """
    known = lookups.cached_records(ctx.gateway, CONTACTS, contacts)
    missing = [number for number in contacts if number not in known]
    calls: list[Callable[[], Any]] = [partial(ctx.gateway.get, CONTACTS, each) for each in missing]
    if INVOICES.name not in ctx.closed_areas:
        theirs = {"cstid": contacts[-1]}
        listed = partial(ctx.gateway.list, INVOICES.endpoint, filters=theirs, page_size=PAGE_SIZE)
        calls.append(listed)
    answers = side_by_side.run(calls)
    read = {**known, **dict(zip(missing, answers, strict=False))}
    invoices = answers[-1] if len(answers) > len(missing) else None
    return [read[number] for number in contacts], invoices


def sums(ctx: RequestContext, invoices: Page, today: date) -> list[Sum]:
    """What they owe, and how much of it is overdue; "at least" where not all were read."""
    start = "" if is_complete(invoices) else "at least "
    open_ones = [each for each in invoices.records if each["inv_status"] == OPEN]
    late = [each for each in open_ones if isinstance(each["due_date"], date)]
    late = [each for each in late if each["due_date"] < today]
    currencies = currencies_of(ctx, INVOICES.endpoint, open_ones)

    def words(records: list[Record]) -> str:
        return start + currencies.total(records, "amount_due").words(ctx.style)

    return [Sum("Owes", words(open_ones)), Sum("Overdue", words(late), bool(late))]
