"""Every page of the dashboard, with rows of every table behind it, and the forms on the pages."""

from collections.abc import Iterator
from typing import Any

from django.test import Client
from django.urls import NoReverseMatch, URLResolver, get_resolver, reverse
from django.utils import timezone

from dashboard.gateway import ENDPOINTS
from dashboard.imports import import_file, upload
from dashboard.jobs import services as jobs
from dashboard.office import choices as preferences
from dashboard.office import repeats
from dashboard.office.kinds import KIND_SPECS, Kind
from dashboard.office.list_import import load_reference_lists
from dashboard.office.models import ListEntry, SavedView, UnnamedReference
from dashboard.people.keys import gateway_for, owner_of
from dashboard.schema.registry import RESOURCES
from dashboard.standin.reference_data import reference_data
from dashboard.text.recurrence import WEEKLY
from dashboard.writes import ledger
from dashboard.writes.models import Draft
from tests.helpers import context_of, write_of
from tests.page_forms import PageForm, page_forms

WORD = "Quokka"  # in all that is kept for the workspace
LEFT_OUT = {"account_logout", "mfa_view_recovery_codes", "mfa_generate_recovery_codes"}
# What ends a session or replaces keys.
LEADS_AWAY = ("/accounts/logout", "/accounts/sessions", "/accounts/password/change",
              "/accounts/two-step", "/settings/keys/", "/setup/end", "/staff/")  # fmt: skip


def every_path(user: Any) -> dict[str, str]:
    """Every address by its name, with the ids of records and of rows that are made for it."""
    gateway = gateway_for(user)
    records = {each.name: gateway.list(each, page_size=1).records[0].id for each in ENDPOINTS}
    samples = {name: {"record_id": number} for name, number in records.items()}
    return paths(samples | kept_for(user, user.key_pair.workspace_id, records))


class Forms:
    """The forms of pages; one that an earlier page had as well is found once."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.known: set[tuple[Any, ...]] = set()

    def of(self, path: str) -> Iterator[PageForm]:
        answer = self.client.get(path)
        if answer.streaming or not answer.headers.get("Content-Type", "").startswith("text/html"):
            return
        for form in page_forms(answer.content.decode(), path):
            known = (form.method, form.action, tuple(form.data()))
            if known not in self.known and not form.action.startswith(LEADS_AWAY):
                self.known.add(known)
                yield form


def kept_for(user: Any, workspace: str, records: dict[str, int]) -> dict[str, dict[str, Any]]:
    """Fill every table that a workspace has rows in with the word."""
    for tenant in ("acme", "globex"):
        lists = reference_data(tenant)
        load_reference_lists(
            workspace, {name: [row | named(row) for row in lists[name]] for name in lists}
        )
    for kind in Kind:
        UnnamedReference.objects.create(
            workspace=workspace, kind=kind, code="987654", place=f"{WORD} 1", url="/"
        )
    owner = owner_of(gateway_for(user))
    for resource, record in records.items():
        write_history(user, owner, workspace, resource, record)
    place = {"user": user.pk, "workspace": workspace}
    preferences.remember_conversion(**place, source=records["estimates"],
                                    made=records["invoices"], label=WORD)  # fmt: skip
    for _ in range(2):
        preferences.remember_days(
            workspace=workspace, customer=records["contacts"], days=77, usual=30
        )
    today = timezone.localdate()
    weekly = {"frequency": WEEKLY, "begins_on": today, "next_on": today}
    repeats.store(user.pk, workspace, "invoices", records["invoices"], weekly)
    text = {"subject": WORD, "text": WORD}
    preferences.change_reminder_texts(workspace, {"friendly": text})
    view = SavedView(user=user, workspace=workspace, resource="deals", shared=True)
    view.name, view.params = WORD, f"search={WORD}"
    view.save()
    draft = Draft.objects.create(person=user, workspace=workspace, path="/", token="k")
    begun = {"kind": "create contacts", "title": WORD, "resource": "contacts"}
    job = jobs.create(context_of(user, workspace, owner), **begun, rows=[{"label": WORD}])
    table = import_file.create(user, workspace, "contacts", f"{WORD}.csv", f"Name\n{WORD}\n")
    upload.store_table(table, upload.read_file(table))
    entry = ListEntry.objects.filter(workspace=workspace, kind=Kind.TAX).first()
    rows = {"jobs": job, "imports": table, "unfinished": draft, "staff": user}
    found = {space: {"pk": row.pk} for space, row in rows.items()}
    found |= {f"{each.name}:edit_view": {"pk": view.pk} for each in RESOURCES.values()}
    return found | {
        "catalogue": {"pk": entry.pk if entry else 0, "slug": KIND_SPECS[Kind.TAX].slug}
    }


def named(row: dict[str, Any]) -> dict[str, Any]:
    return {"name": f"{WORD} {row['name']}"} if "name" in row else {}


def write_history(user: Any, owner: str, workspace: str, resource: str, record: int) -> None:
    row = write_of(
        user, ledger.new_token(), owner=owner, workspace=workspace, resource=resource,
        record_id=record, operation="update", label=WORD, changes={"Name": ("old", WORD)},
    )  # fmt: skip
    ledger.start_sending(row)
    ledger.finish(row, "saved", message="")


def paths(samples: dict[str, dict[str, Any]]) -> dict[str, str]:
    """Every address that can be built, by its name; with its table and its spreadsheet."""
    found = {}
    for name, wanted in names(get_resolver(), ""):
        space = name.partition(":")[0]
        given = {"name": "contacts", "pk": 1, **samples.get(space, {}), **samples.get(name, {})}
        try:
            found[name] = reverse(name, kwargs={key: given[key] for key in wanted})
        except (KeyError, NoReverseMatch):
            continue
    view = samples["deals:edit_view"]["pk"]
    extra = {
        "history csv": "/history/?format=csv",
        "deals by view": f"/deals/?view=v{view}",
        "job csv": f"{found['jobs:show']}?format=csv",
    }
    lists = {f"list {kind}": f"/settings/lists/{KIND_SPECS[kind].slug}/" for kind in Kind}
    return {name: path for name, path in found.items() if name not in LEFT_OUT} | extra | lists


def names(resolver: URLResolver, space: str) -> Any:
    """The name of every address, and what it takes."""
    for entry in resolver.url_patterns:
        if isinstance(entry, URLResolver):
            yield from names(entry, f"{space}{entry.namespace}:" if entry.namespace else space)
        elif entry.name:
            yield f"{space}{entry.name}", entry.pattern.converters
    return
