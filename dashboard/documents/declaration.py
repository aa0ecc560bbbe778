"""Declares what the lists and pages of invoices and estimates have in common.

`document` makes a Resource from the form, the statuses and the amounts of a kind of document.
"""

from collections.abc import Mapping

from dashboard.core.service_name import SERVICE
from dashboard.documents import detail_page, views
from dashboard.documents.cells import DUE, Tones, status, still_due
from dashboard.documents.cells import deadline as deadline_cell
from dashboard.documents.form import (
    SAME,
    DocumentForm,
    changed_body,
    same_customer,
    why_not_editable,
)
from dashboard.gateway import CONTACTS
from dashboard.people import permissions as may
from dashboard.schema.filters import BuiltInView, Choice, Days, Filter, RecordOf
from dashboard.schema.resource import (
    Column,
    CreateFrom,
    Detail,
    DuplicateSearch,
    Resource,
    ResourcePage,
    Section,
    columns,
    details,
    record_page,
)

FILED = ("deal_id", "assigned_to", "template_id", "org_currency_id", "conversion_rate", "tag_ids")
CUSTOMER = Column("customer_id", sortable=False, stands_first=True)
LINES = (Detail("items", cell=detail_page.lines_table),)
DUPLICATES = DuplicateSearch(
    ask=same_customer,
    same=SAME,
    computed=detail_page.expected_total,
    telling=("total", "reference", "items"),
)
SHARED_PAGES: Mapping[str, ResourcePage] = {
    "create": ResourcePage("new/", views.create_document, may.EDIT_RECORDS),
    "totals": ResourcePage("totals/", views.show_totals, may.EDIT_RECORDS),
    "lines": ResourcePage("lines/", views.show_lines, may.EDIT_RECORDS),
    "items": ResourcePage("items/", views.show_items, may.EDIT_RECORDS),
    "customer": ResourcePage("customer/", views.show_customer, may.EDIT_RECORDS),
    "detail": record_page("", detail_page.show_document, may.VIEW_RECORDS),
    "edit": record_page("edit/", views.edit_document, may.EDIT_RECORDS),
}


def document(
    *,
    icon: str,
    key: str,
    form: type[DocumentForm],
    states: tuple[str, Tones],
    late: tuple[str, str],
    dates: tuple[str, str],
    texts: str,
    amounts: Mapping[str, str],
    pages: Mapping[str, ResourcePage] | None = None,
    more_filters: tuple[Filter, ...] = (),
    own_views: tuple[BuiltInView, ...] = (),
) -> Resource:
    """Declare a kind of document. states: the status field, and the word and tone of each status.
    late: the words for an open document after its deadline, and shortly before it.
    """
    (field, words), number, deadline = states, form.endpoint.label_field, form.deadline
    status_cell = status(field, words, deadline, late)
    status_column = Column(field, label="Status", cell=status_cell)
    last_day = Column(deadline, cell=deadline_cell(deadline))
    first = (Column(number, label="Number"), CUSTOMER)
    filed = details(*(name for name in FILED if name in form.base_fields))
    money_details = [Detail(name, label=label, is_amount=True) for name, label in amounts.items()]
    return Resource(
        endpoint=form.endpoint,
        icon=icon,
        key=key,
        search_hint=f"{form.endpoint.singular.capitalize()} number",
        columns=columns(*first, status_column, "transaction_date", last_day, *_sums(amounts)),
        filters=(*_filters(states, dates), *more_filters),
        badges=(Detail(field, label="Status", cell=status_cell),),
        subtitle=details("reference"),
        headline=(*details("customer_id"), *money_details, *details(deadline, "transaction_date")),
        creates=(CreateFrom("Task", "t", "tasks", "contact", field="customer_id"),),
        views=own_views,
        sections=(Section(texts, details(*form.texts)), Section("Filing", filed)),
        more_details=LINES,
        duplicate_search=DUPLICATES,
        create_form=form,
        edit_form=form,
        identity_fields=(number,),
        whole_body=changed_body,
        why_not_editable=why_not_editable,
        repeats=("transaction_date", deadline),
        not_editable={"Status": f"{SERVICE} sets it."},
        extra_pages={**SHARED_PAGES, **(pages or {})},
    )


def _sums(amounts: Mapping[str, str]) -> list[Column]:
    return [
        Column(name, label=label, is_amount=True, cell=still_due if name == DUE else None)
        for name, label in amounts.items()
    ]


def _filters(states: tuple[str, Tones], dates: tuple[str, str]) -> tuple[Filter, ...]:
    field, words = states
    choices = {str(code): word for code, (word, _) in words.items()}
    return (
        Choice(field, label="Status", choices=choices),
        RecordOf("cstid", label="Customer", points_to=CONTACTS),
        Days("date", label="Date", sent=dates),
    )
