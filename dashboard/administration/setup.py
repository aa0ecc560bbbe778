"""The setup page of administrators, which fills the lists from existing records; the page on which
people choose their user in the service; and the steps of the first day.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from http import HTTPStatus
from itertools import takewhile
from time import monotonic
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import path, reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from dashboard.core.service_name import SERVICE
from dashboard.gateway import (
    INVOICES,
    Gateway,
    GatewayError,
    NotAllowed,
    Record,
    concurrency,
)
from dashboard.gateway.records import currency_id
from dashboard.gateway.values import differ
from dashboard.office import choices as preferences
from dashboard.office import editing
from dashboard.office import reference_lists as catalogue
from dashboard.office.kinds import KIND_SPECS, MISSING_HINTS, Kind, kinds_of_setup
from dashboard.office.observed_references import record_all
from dashboard.office.reference_fields import ReferenceField
from dashboard.people.context import RequestContext, page, page_without_keys
from dashboard.people.key_views import COUNTS_KEY
from dashboard.people.keys import store_closed_areas, store_zones
from dashboard.people.models import Workspace
from dashboard.people.permissions import EDIT_RECORDS, MANAGE_SETTINGS, permission_required
from dashboard.reader import listing, lookups
from dashboard.reader.failures import in_words
from dashboard.schema.defaults import currency_of, own_id
from dashboard.schema.registry import RESOURCES
from dashboard.schema.resource import Resource
from dashboard.schema.unnamed_references import references_in

MAX_PAGES = 2  # of the list of each resource
MAX_DETAILS = 15  # records of each resource that are read whole, for what lists do not show
NO_NAME = "Name this currency under Names and codes first, for example EUR."
NEXT = "next"  # the parameter of the address of the last step of the first day
SAVED = "Saved. New records are assigned to you."
MAX_INVOICES = 30
CURRENCIES_KEY = "currencies_seen"  # of the session: how many records by the name of a currency
READ_TIMEOUT = 20.0  # after which no call begins, and no list is waited for


@dataclass
class SeenRecords:
    """The records that were read. `closed`: resources that the plan lacks; `errors`: the first
    error by name.
    """

    found: list[tuple[Resource, Record]] = field(default_factory=list)
    opened: set[str] = field(default_factory=set)
    closed: set[str] = field(default_factory=set)
    errors: dict[str, GatewayError] = field(default_factory=dict)
    late: bool = False

    def add(self, resource: Resource, records: Iterable[Record]) -> None:
        try:
            for record in records:
                self.found.append((resource, record))
            self.opened.add(resource.name)
        except NotAllowed:
            self.closed.add(resource.name)
        except GatewayError as error:
            self.errors.setdefault(resource.name, error)


def read_records(gateway: Gateway, *, seconds: float = READ_TIMEOUT) -> SeenRecords:
    reading, end = SeenRecords(), monotonic() + seconds
    for resource, pages in [(each, _pages(gateway, each, end)) for each in RESOURCES.values()]:
        reading.add(resource, (record for page in pages for record in page.records))
    details = list(_details(gateway, reading))
    in_time = takewhile(lambda _: monotonic() < end, details)
    answers = list(
        concurrency.map(
            lambda detail: gateway.get(detail[0].endpoint, detail[1]),
            in_time,
            listing.MAX_CONCURRENT_CALLS,
        )
    )
    for (resource, _), answer in zip(details, answers, strict=False):
        reading.add(resource, (concurrency.unwrap(each) for each in [answer]))
    reading.late = len(answers) < len(details)
    return reading


def _pages(gateway: Gateway, resource: Resource, end: float) -> listing.Pages:
    read = partial(gateway.list, resource.endpoint, page_size=listing.PAGE_SIZE)
    return listing.Pages(read, expected=MAX_PAGES, most=MAX_PAGES, until=end)


def _details(gateway: Gateway, reading: SeenRecords) -> Iterator[tuple[Resource, int]]:
    for resource in RESOURCES.values():
        ids = [record.id for each, record in reading.found if each is resource]
        if gateway.supports(resource.endpoint, "get"):
            yield from ((resource, number) for number in ids[:MAX_DETAILS])


class ListForm(forms.Form):
    use_required_attribute = False

    def __init__(self, data: Any, *, field: ReferenceField, ctx: RequestContext, now: str) -> None:
        super().__init__(data, initial={"choice": now})
        self.fields["choice"] = field
        field.bind(ctx)


class CurrencyForm(ListForm):
    """The currency of new records; `is_only`: every deal and document is in it."""

    is_only = forms.BooleanField(
        label="We use only this currency",
        help_text=f"Totals then show it. Lists of {SERVICE} have no currency.",
        required=False,
    )

    def __init__(self, data: Any, *, field: ReferenceField, ctx: RequestContext, now: str) -> None:
        super().__init__(data, field=field, ctx=ctx, now=now)
        self.order_fields(("choice", "is_only"))
        self.workspace = ctx.workspace
        self.initial["is_only"] = bool(catalogue.only_currency(ctx.workspace))

    def clean(self) -> dict[str, Any]:
        """Require a name for the currency, as it stands above every sum."""
        cleaned = self.cleaned_data
        code = cleaned.get("choice")
        named = code and catalogue.entry(self.workspace, Kind.CURRENCY, code)
        if cleaned.get("is_only") and not named and "choice" in cleaned:
            self.add_error("choice", NO_NAME if code else "Choose the currency that all are in.")
        return cleaned


@permission_required(MANAGE_SETTINGS)
@require_safe
@page
def show_setup(ctx: RequestContext) -> HttpResponse:
    context = {
        "title": "Setup",
        "pair": ctx.user.key_pair,
        "steps": list(_steps(ctx)),
        "closed": [name.capitalize() for name in sorted(ctx.closed_areas)],
        "currency": _named(ctx, Kind.CURRENCY, currency_of(ctx)),
        "only_currency": catalogue.only_currency(ctx.workspace),
        "contradicted": catalogue.contradicted_currency(ctx.workspace),
        "seen": _seen_in_words(ctx.request.session.get(CURRENCIES_KEY)),
        "office_time": timezone.localtime(),
        "zones": _zones_in_words(ctx.settings.task_zones),
        "me": _named(ctx, Kind.USER, own_id(ctx)),
        "ended": ctx.settings.setup_ended,
    }
    return ctx.render("administration/setup.html", context)


@permission_required(MANAGE_SETTINGS)
@require_POST
@page
def import_reference_lists(ctx: RequestContext) -> HttpResponse:
    reading = read_records(ctx.gateway)
    store_closed_areas(ctx.user, open_areas=reading.opened, closed=reading.closed)
    store_zones(workspace=ctx.settings, zones=ctx.gateway.zones)
    seen = [one for resource, record in reading.found for one in references_in(resource, record)]
    record_all(ctx.workspace, seen)
    seen_currencies = _keep_currencies(ctx, reading)
    ctx.request.session[CURRENCIES_KEY] = seen_currencies
    level = messages.SUCCESS if reading.found else messages.WARNING
    messages.add_message(ctx.request, level, _found(reading, _seen_in_words(seen_currencies)))
    for name, error in reading.errors.items() if reading.found else ():
        messages.warning(ctx.request, f"{name.capitalize()} couldn't be loaded. {in_words(error)}")
    return redirect("setup:page")


@permission_required(MANAGE_SETTINGS)
@page
def choose_currency(ctx: RequestContext) -> HttpResponse:
    seen_currencies = ctx.request.session.get(CURRENCIES_KEY)
    hint = f"New deals, estimates and invoices will use it. {_seen_in_words(seen_currencies)}"
    field = ReferenceField(kind=Kind.CURRENCY, label="Currency", help_text=hint, required=False)
    now = currency_of(ctx)
    form = CurrencyForm(ctx.request.POST or None, field=field, ctx=ctx, now=now)
    if seen_currencies and len(seen_currencies) == 1:
        form.initial["is_only"] = True  # proposed: nothing else was seen
    if ctx.request.method == "POST" and form.is_valid():
        code = str(form.cleaned_data["choice"] or "")
        Workspace.objects.filter(pk=ctx.workspace).update(currency=code)
        editing.set_only_currency(ctx.workspace, code if form.cleaned_data["is_only"] else "")
        ctx.request.session.pop(CURRENCIES_KEY, None)
        messages.success(ctx.request, "Saved. New records will use it.")
        return redirect("setup:page")
    context = {"title": "Workspace currency", "form": form, "back": "setup:page"}
    return ctx.render("administration/setup_choice.html", context)


@permission_required(MANAGE_SETTINGS)
@require_POST
@page
def finish_setup(ctx: RequestContext) -> HttpResponse:
    """Remove the setup page from the menu; it stays among the settings."""
    Workspace.objects.filter(pk=ctx.workspace).update(setup_ended=True)
    return redirect("today:home")


def _steps(ctx: RequestContext) -> Iterator[dict[str, Any]]:
    """Yield the lists: how many entries people named, the service named, and nobody named."""
    lists = catalogue.get_cached_lists(ctx.workspace)
    for kind in kinds_of_setup(ctx.closed_areas):
        named = [each.is_from_service for each in lists.of(kind).values() if not each.retired]
        yield {
            "about": KIND_SPECS[kind],
            "named": named.count(False),
            "from_service": named.count(True),
            "unnamed": sum(one == kind for one, _ in lists.unnamed),
            "missing": MISSING_HINTS[kind][1],
        }


def _named(ctx: RequestContext, kind: Kind, code: str) -> str:
    return catalogue.label(ctx.workspace, kind, code) if code else ""


def _keep_currencies(ctx: RequestContext, reading: SeenRecords) -> dict[str, int]:
    """Store the currency of most records as the default, if the office has not chosen one. Return
    the number of records by currency name, the most frequent first.
    """
    used: Counter[int] = Counter()
    for resource, record in reading.found:
        if code := currency_id(record):
            used[code] += 1
            lookups.cache_record(ctx.gateway, resource.endpoint, record)
    if used and not ctx.settings.currency:
        Workspace.objects.filter(pk=ctx.workspace).update(currency=str(used.most_common(1)[0][0]))
    names = {code: catalogue.label(ctx.workspace, Kind.CURRENCY, code) for code in used}
    return {names[code]: count for code, count in used.most_common()}


def _seen_in_words(seen: dict[str, int] | None) -> str:
    """Return words such as "Currencies in use: EUR in 28 records, GBP in 2."; "" for nothing."""
    counts = [f"{name} in {count:,}" for name, count in (seen or {}).items()]
    if counts:
        counts[0] += " record" if counts[0].endswith(" in 1") else " records"
    words = ", ".join(counts)
    return f"Currencies in use: {words}." if words else ""


def _zones_in_words(zones: list[str]) -> str:
    """Return a sentence on the zones of task times, and how they are converted; "" for none."""
    if not zones:
        return ""
    words = ", ".join(zones)
    if differ(zones):
        return f"Time zones in use: {words}. Times are converted to {settings.TIME_ZONE}."
    return f"Time zone in use: {words}. Times are shown as entered."


def _found(reading: SeenRecords, currencies: str) -> str:
    if not reading.found:
        why = [f"No records could be loaded. {in_words(each)}" for each in reading.errors.values()]
        return why[0] if why else "No records yet"
    late = "Not everything loaded in time. Try again." if reading.late else ""
    many = len(reading.found)
    read = f"{many:,} record{'' if many == 1 else 's'} checked."
    return " ".join(filter(None, [read, currencies, late]))


def own_user_form(ctx: RequestContext, *, required: bool = False) -> ListForm:
    hint = "New deals, leads, tasks and invoices are assigned to you."
    field = ReferenceField(kind=Kind.USER, label="You are", help_text=hint, required=required)
    field.error_messages["required"] = "Choose a user, or skip this step."
    return ListForm(ctx.request.POST or None, field=field, ctx=ctx, now=own_id(ctx))


def _store(ctx: RequestContext, form: ListForm) -> None:
    code = str(form.cleaned_data["choice"] or "")
    preferences.remember_own_id(ctx.user, ctx.workspace, code)


@permission_required(EDIT_RECORDS)
@page
def choose_own_user(ctx: RequestContext) -> HttpResponse:
    form = own_user_form(ctx)
    back = "setup:page" if ctx.may(MANAGE_SETTINGS) else "credentials:connect"
    if ctx.request.method == "POST" and form.is_valid():
        _store(ctx, form)
        messages.success(ctx.request, SAVED)
        return redirect(back)
    context = {"title": f"Choose your user in {SERVICE}", "form": form, "back": back}
    return ctx.render("administration/setup_choice.html", context)


@page_without_keys
def show_welcome(ctx: RequestContext) -> HttpResponse:
    """Show the second step, in which people choose their user in the service, and the third, where
    to begin. The first, connecting keys, is in people/key_views.py. The second is left out for
    those who only read, and if no user of the service has a name yet.
    """
    pair = ctx.user.pair
    if pair is None:
        return redirect("credentials:connect")
    asks = ctx.may(EDIT_RECORDS) and bool(catalogue.names(ctx.workspace, Kind.USER))
    form = own_user_form(ctx, required=True) if asks and NEXT not in ctx.params else None
    if form and ctx.request.method == "POST" and form.is_valid():
        _store(ctx, form)
        return redirect(f"{reverse('setup:welcome')}?{NEXT}")
    counts = ctx.request.session.get(COUNTS_KEY, {})
    areas = [
        (each.label, each.name not in pair.closed_areas, counts.get(each.name))
        for each in RESOURCES.values()
    ]
    context: dict[str, Any] = {
        "step": 2 if form else 3,
        "form": form,
        "workspace": pair.workspace,
        "areas": areas,
        "may_edit": ctx.may(EDIT_RECORDS),
        "in_setup": ctx.may(MANAGE_SETTINGS) and pair.workspace.in_setup,
        "currency": catalogue.only_currency(ctx.workspace),
        "terms": None if form else terms_of_invoices(ctx),
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form and form.errors else HTTPStatus.OK
    return ctx.render("administration/welcome.html", context, status=status)


def terms_of_invoices(ctx: RequestContext) -> dict[str, int | None] | None:
    """Return the days until an invoice is due, by one call: of new ones, and of most of those that
    were read, None where most have no terms in common; and how many were read with both dates. None
    for people who may not write invoices, or if the service does not answer.
    """
    if INVOICES.name in ctx.closed_areas:
        return None
    try:
        found = ctx.gateway.list(INVOICES, page_size=MAX_INVOICES).records
    except GatewayError:
        return None
    days = [gap for record in found if (gap := _days_until_due(record)) is not None]
    usual, count = Counter(days).most_common(1)[0] if days else (None, 0)
    common = usual if 2 * count > len(days) else None
    return {"days": ctx.settings.due_days, "usual": common, "read": len(days)}


def _days_until_due(record: Record) -> int | None:
    issued, due = record["transaction_date"], record["due_date"]
    if not isinstance(issued, date) or not isinstance(due, date):
        return None
    return (due - issued).days


app_name = "setup"
urlpatterns = [
    path("", show_setup, name="page"),
    path("pick-up/", import_reference_lists, name="import_reference_lists"),
    path("currency/", choose_currency, name="currency"),
    path("me/", choose_own_user, name="me"),
    path("welcome/", show_welcome, name="welcome"),
    path("end/", finish_setup, name="end"),
]
