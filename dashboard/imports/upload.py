"""The first page of an import, which takes the file. The file is read once, when the page of its
columns is first opened.
"""

import logging
from dataclasses import replace
from functools import partial
from typing import Any

from django import forms
from django.db import IntegrityError, transaction
from django.http import HttpResponse
from django.shortcuts import redirect

from dashboard.core import sealed
from dashboard.imports import import_file
from dashboard.imports.guessing import guess_fields
from dashboard.imports.import_file import ImportSettings
from dashboard.imports.models import Import
from dashboard.imports.targets import NAME, targets_of
from dashboard.people.context import RequestContext, page_without_keys
from dashboard.people.models import User
from dashboard.people.permissions import EDIT_RECORDS, EXPORT_RECORDS
from dashboard.resources.person_form import WITH_TABLE
from dashboard.schema.registry import RESOURCES
from dashboard.schema.resource import Resource, ResourcePage
from dashboard.tables import limits
from dashboard.tables.limits import ReadersBusy, UnreadableTable
from dashboard.tables.reading import ReadTable, build_table, check_file, read_source
from dashboard.writes.ledger import new_token

logger = logging.getLogger(__name__)

MAX_ROWS = 5_000  # of one import
MAX_TYPED = 50  # of a person who may not import files
ABOVE = 20  # rows at most above the table, its headings with them, where those are guessed
TOO_MANY = "More than {:,} rows. Split the table."
LOST = "We can't open this file any more. Discard it and upload it again."
BROKEN = "Couldn't load the file. Your administrator can find the details in the log."
MAX_PASTED = 2_000_000  # characters
MAX_OPEN = 20  # files of a person that were not sent
NOTHING = "Choose a file, or paste cells."
TOO_MANY_OPEN = "You have too many unsent files. Send or discard one first."


class FileForm(forms.Form):
    """A file or pasted cells; the file wins if there are both."""

    use_required_attribute = False

    token = forms.CharField(required=False, max_length=80, widget=forms.HiddenInput)
    file = forms.FileField(
        label="File",
        required=False,
        allow_empty_file=True,
        help_text="CSV, Excel (XLSX) or OpenDocument (ODS), up to 10 MB and 5,000 rows",
    )
    text = forms.CharField(
        label="Or paste cells from a spreadsheet",
        required=False,
        strip=False,
        max_length=MAX_PASTED,
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false", "autocomplete": "off"}),
    )

    def __init__(self, *args: Any, may_upload: bool, takes_cards: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.takes_cards = takes_cards
        if takes_cards:
            self.fields["file"].help_text = f"vCard (VCF), {self.fields['file'].help_text}"
        if not may_upload:
            del self.fields["file"]
            self.fields["text"].widget.attrs["autofocus"] = True
            self.fields["text"].label = "Cells of a spreadsheet"
            self.fields["text"].help_text = f"Up to {MAX_TYPED} rows at once"

    def clean(self) -> dict[str, Any]:
        """Add the bytes or the text as "content"."""
        file, text = self.cleaned_data.get("file"), self.cleaned_data.get("text", "")
        content = file.read(limits.MAX_BYTES + 1) if file else text
        try:
            if not file and not text.strip():
                raise UnreadableTable(NOTHING)
            check_file(content, takes_cards=self.takes_cards)
        except UnreadableTable as error:
            wrong = "file" if file or not text.strip() else "text"
            self.add_error(wrong if wrong in self.fields else "text", str(error))
        self.cleaned_data |= {"content": content, "name": file.name if file else ""}
        return self.cleaned_data


@page_without_keys
def begin(ctx: RequestContext, resource: Resource) -> HttpResponse:
    posted = ctx.request.method == "POST"
    may_upload = ctx.may(EXPORT_RECORDS)
    data = (ctx.request.POST, ctx.request.FILES) if posted else ()
    form = FileForm(
        *data,
        initial={"token": new_token()},
        may_upload=may_upload,
        takes_cards=NAME in resource.create_form.base_fields,
    )
    waiting = import_file.open_ones(ctx.user, ctx.workspace)
    if posted and form.is_valid() and waiting.count() >= MAX_OPEN:
        form.add_error(None, TOO_MANY_OPEN)
    elif posted and form.is_valid():
        found = _store(ctx.user, ctx.workspace, resource, form.cleaned_data)
        return redirect("imports:show", found.pk)
    context = {
        "title": f"Import {resource.name}",
        "resource": resource,
        "list_url": resource.url(),
        "form": form,
        "others": [(one, import_file.name_of(one)) for one in waiting],
    }
    return ctx.render("imports/file.html", context, status=422 if form.is_bound else 200)


def _store(person: User, workspace: str, resource: Resource, data: dict[str, Any]) -> Import:
    """Store the file; the same form sent twice stores it once."""
    content, token = data["content"], data["token"]
    try:
        with transaction.atomic():
            return import_file.create(
                person, workspace, resource.name, data["name"], content, token
            )
    except IntegrityError:
        digest = import_file.upload_digest(person, token, content)
        return import_file.of_person(person, workspace).get(upload_digest=digest)


def may_import(person: User, resource: Resource) -> bool:
    return person.has_perm(EXPORT_RECORDS) or resource.name in WITH_TABLE


def first_page(person: User, resource: Resource) -> str:
    return resource.url(page="import" if person.has_perm(EXPORT_RECORDS) else "table")


def pages_of(resource: Resource) -> dict[str, ResourcePage]:
    pages = {"import": ResourcePage("import/", begin, EXPORT_RECORDS)}
    if resource.name in WITH_TABLE:
        pages["table"] = ResourcePage("table/", begin, EDIT_RECORDS)
    return pages


def read_file(found: Import) -> ReadTable | str:
    try:
        return _table(found, import_file.settings_of(found))
    except ReadersBusy:
        raise
    except UnreadableTable as refusal:
        return str(refusal)
    except sealed.DecryptionError:
        return LOST
    except Exception:
        logger.exception("%s could not be read", found)
        return BROKEN


def _table(found: Import, settings: ImportSettings) -> ReadTable:
    most = most_rows(found.person)
    source = read_source(import_file.content_of(found), settings)
    if len(source.rows) > most + (settings.header or ABOVE):  # before many cells are guessed about
        raise UnreadableTable(TOO_MANY.format(most))
    source = replace(source, rows=[row.cleaned() for row in source.rows])
    style, resource = found.person.style, RESOURCES[found.resource]
    make = partial(build_table, source, mark=style.mark, order=style.order)
    table = make(settings)
    targets = targets_of(resource, found.workspace)
    is_guess = settings.header is None and not table.header.certain
    if is_guess and not any(guess_fields(table, targets).values()):
        table = make(replace(settings, header=0))
    if len(table.rows) > most:
        raise UnreadableTable(TOO_MANY.format(most))
    return table


def most_rows(person: User) -> int:
    return MAX_ROWS if person.has_perm(EXPORT_RECORDS) else MAX_TYPED


def is_current(found: Import, stored: Import | None) -> bool:
    """Return True if a file that was read was not sent or discarded, nor needs a new read."""
    if stored is None:
        return False
    before, now = map(import_file.settings_of, (found, stored))
    return import_file.reading_options(now) == import_file.reading_options(before)


@transaction.atomic
def store_table(found: Import, table: ReadTable | str) -> None:
    locked = import_file.lock(found)
    if locked is None or not is_current(found, locked):
        return
    locked.table = import_file.table_as_json(table)
    locked.save(update_fields=["table"])
