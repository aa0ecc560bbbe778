"""What the lists and pages of invoices and estimates have in common, declared once.

A kind of document says its form, its statuses and its own fields; `document` makes a Resource of
that. Labels come from the form, so that a field reads the same where it is typed and shown.
"""

from collections.abc import Mapping
from typing import Any

from dashboard.accounts import permissions as may
from dashboard.catalogue.fields import ReferenceField
from dashboard.documents import detail_page, views
from dashboard.documents.bodies import SAME, same_customer
from dashboard.documents.cells import SOON, Tones, day, days_left, money, named, status, tags
from dashboard.documents.form import DocumentForm
from dashboard.gateway import CONTACTS, DEALS, Endpoint, Record
from dashboard.records.display.cells import Cell
from dashboard.records.resource import (
    Column,
    Detail,
    DuplicateSearch,
    Filter,
    Page,
    Resource,
    Section,
)

OPEN = 0  # of an invoice and of an estimate (reference, section 3)
FILED = (
    "deal_id",
    "assigned_to",
    "template_id",
    "org_currency_id",
    "conversion_rate",
    "tag_ids",
)
SHARED_PAGES: Mapping[str, Page] = {
    "create": Page(route="new/", view=views.create, permission=may.EDIT_RECORDS),
    "totals": Page(route="totals/", view=views.totals, permission=may.EDIT_RECORDS),
    "lines": Page(route="lines/", view=views.lines, permission=may.EDIT_RECORDS),
    "detail": Page(route="<int:record_id>/", view=detail_page.show, permission=may.VIEW_RECORDS),
    "edit": Page(route="<int:record_id>/edit/", view=views.edit, permission=may.EDIT_RECORDS),
}


def document(
    *,
    endpoint: Endpoint,
    singular: str,
    icon: str,
    form: type[DocumentForm],
    states: tuple[str, Tones],
    late: tuple[str, str],
    dates: tuple[str, str],
    texts: str,
    amounts: Mapping[str, str],
    pages: Mapping[str, Page] | None = None,
) -> Resource:
    """A Resource of a kind of document.

    states: the status field, and each status with its word and tone. late: what an open one is
    called once its day has passed, and shortly before. dates: the filters of its date.
    texts: the title above its longer texts. amounts: the money columns, with their labels.
    """
    field, words = states
    number, deadline = endpoint.label_field, form.deadline
    shown = status(field, words, lambda record: _late(record, field, deadline, late))
    sums = [(name, label, money(name)) for name, label in amounts.items()]
    return Resource(
        endpoint=endpoint,
        singular=singular,
        icon=icon,
        title_field=number,
        search_hint=f"{singular.capitalize()} number",
        columns=(
            Column(name=number, label="Number"),
            Column(name="customer_id", label="Customer", points_to=CONTACTS, sortable=False),
            Column(name=field, label="Status", cell=shown),
            Column(name="transaction_date", label="Date", cell=day("transaction_date")),
            Column(name=deadline, label=_label(form, deadline), cell=day(deadline)),
            *(
                Column(name=name, label=label, cell=cell, numeric=True)
                for name, label, cell in sums
            ),
        ),
        filters=_filters(states, dates),
        facts=(
            Detail(name=field, label="Status", cell=shown),
            *_details(form, "customer_id", "transaction_date", deadline, "reference"),
            *(Detail(name=name, label=label, cell=cell) for name, label, cell in sums),
        ),
        sections=(
            Section(title=texts, details=_details(form, *form.texts)),
            Section(title="Filing", details=_details(form, *FILED)),
        ),
        duplicate_search=DuplicateSearch(ask=same_customer, same=SAME),
        create_form=form,
        edit_form=form,
        not_editable={"Status": "the service sets it."},
        extra_pages={**SHARED_PAGES, **(pages or {})},
    )


def _filters(states: tuple[str, Tones], dates: tuple[str, str]) -> tuple[Filter, ...]:
    field, words = states
    choices = {str(code): word for code, (word, _) in words.items()}
    return (
        Filter(name=field, label="Status", choices=choices),
        Filter(name="cstid", label="Customer", points_to=CONTACTS),
        Filter(name="date", label="Date", span=dates),
    )


def _late(
    record: Record, field: str, deadline: str, words: tuple[str, str]
) -> tuple[str, str] | None:
    """What an open document is called whose day has come, or is near."""
    left = days_left(record, deadline) if record[field] == OPEN else None
    if left is None or left > SOON:
        return None
    return (words[0], "overdue") if left < 0 else (words[1], "due")


def _details(form: type[DocumentForm], *names: str) -> tuple[Detail, ...]:
    return tuple(_detail(form, name) for name in names if name in form.base_fields)


def _detail(form: type[DocumentForm], name: str) -> Detail:
    cell: Cell | None = tags if name == "tag_ids" else None
    field: Any = form.base_fields[name]
    if isinstance(field, ReferenceField):
        cell = named(field.kind, name)
    points_to = {"customer_id": CONTACTS, "deal_id": DEALS}.get(name)
    return Detail(name=name, label=_label(form, name), cell=cell, points_to=points_to)


def _label(form: type[DocumentForm], name: str) -> str:
    return str(form.base_fields[name].label)
