"""The first page of an import, which takes the file."""

from typing import Any

from django import forms
from django.db import IntegrityError, transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from dashboard.accounts.models import User
from dashboard.accounts.permissions import EXPORT_RECORDS
from dashboard.imports import file_reading, storage
from dashboard.imports.models import Import
from dashboard.outbox.services import new_token
from dashboard.records.context import StaffRequest, workspace_of
from dashboard.records.resource import Page, Resource
from dashboard.tables import limits
from dashboard.tables.errors import UnreadableTable
from dashboard.tables.reading import check_file

MOST_PASTED = 2_000_000  # characters
MOST_OPEN = 20  # files of a person that were not sent
TOO_MANY_OPEN = "Too many files were not sent yet. Send or discard one of those below first."


class FileForm(forms.Form):
    """A file or pasted cells; the file is read if there are both."""

    use_required_attribute = False

    token = forms.CharField(required=False, max_length=80, widget=forms.HiddenInput)
    file = forms.FileField(
        label="File",
        required=False,
        allow_empty_file=True,
        help_text="CSV, Excel (XLSX) or OpenDocument (ODS), at most 10 MB and 5,000 rows.",
    )
    text = forms.CharField(
        label="Or cells of a spreadsheet",
        required=False,
        strip=False,
        max_length=MOST_PASTED,
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false", "autocomplete": "off"}),
    )

    def clean(self) -> dict[str, Any]:
        """The cleaned data, with the bytes or the text under "content"."""
        file, text = self.cleaned_data.get("file"), self.cleaned_data.get("text", "")
        content = file.read(limits.MOST_BYTES + 1) if file else text
        try:
            if not file and not text.strip():
                raise UnreadableTable("Choose a file, or paste cells.")
            check_file(content)
        except UnreadableTable as error:
            self.add_error("file" if file or not text else "text", str(error))
        self.cleaned_data |= {"content": content, "name": file.name if file else ""}
        return self.cleaned_data


@require_http_methods(["GET", "HEAD", "POST"])
def begin(request: StaffRequest, resource: Resource) -> HttpResponse:
    """The form that takes a file; a file that can be read leads to its columns."""
    posted, workspace = request.method == "POST", workspace_of(request.user)
    form = (
        FileForm(request.POST, request.FILES)
        if posted
        else FileForm(initial={"token": new_token()})
    )
    waiting = storage.open_ones(request.user, workspace)
    if posted and form.is_valid() and waiting.count() >= MOST_OPEN:
        form.add_error(None, TOO_MANY_OPEN)
    elif posted and form.is_valid():
        found = _store(request.user, workspace, resource, form.cleaned_data)
        return redirect("imports:show", found.pk)
    context = {
        "title": f"Import {resource.name}",
        "resource": resource,
        "list_url": resource.url(),
        "form": form,
        "others": [(one, storage.name_of(one)) for one in waiting],
    }
    return render(request, "imports/file.html", context, status=422 if form.is_bound else 200)


def _store(person: User, workspace: str, resource: Resource, data: dict[str, Any]) -> Import:
    """Store the file and let a worker read it; the same form sent twice brings it once."""
    content, token = data["content"], data["token"]
    try:
        with transaction.atomic():
            found = storage.create(person, workspace, resource.name, data["name"], content, token)
            file_reading.ask(found)
            return found
    except IntegrityError:
        digest = storage.upload_digest(person, token, content)
        return storage.of_person(person, workspace).get(upload_digest=digest)


def pages_of(resource: Resource) -> dict[str, Page]:
    """The page that takes a file of a resource."""
    return {"import": Page(route="import/", view=begin, permission=EXPORT_RECORDS)}
