"""The pages that export a list as CSV and import a table, which is shown before it is applied."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from dashboard.tables.errors import UnreadableTable

from . import editing, importing, spreadsheets
from .kinds import Kind
from .spreadsheets import HEADINGS
from .views import for_workspace, kind_of, list_context

MOST_SHOWN = 300


class TableForm(forms.Form):
    """A file or a pasted table; the file is read if there are both."""

    use_required_attribute = False

    file = forms.FileField(
        label="File",
        required=False,
        allow_empty_file=True,
        help_text="CSV, Excel (XLSX) or OpenDocument (ODS).",
    )
    text = forms.CharField(
        label="Or paste the table",
        required=False,
        strip=False,
        max_length=spreadsheets.MOST_BYTES,
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false", "autocomplete": "off"}),
    )

    note = ""

    def clean(self) -> dict[str, Any]:
        """The cleaned data, with the table of the file under "text"."""
        file = self.cleaned_data.get("file")
        if file:
            try:
                data = file.read(spreadsheets.MOST_BYTES + 1)
                self.cleaned_data["text"], self.note = spreadsheets.decode(data)
            except UnreadableTable as error:
                self.add_error("file", str(error))
        elif not self.errors and not self.cleaned_data["text"].strip():
            self.add_error("file", "Choose a file, or paste the table below.")
        return self.cleaned_data


@for_workspace
@require_safe
def export(request: HttpRequest, workspace: str, slug: str) -> HttpResponse:
    """The list as a CSV file."""
    kind = kind_of(slug)
    data = spreadsheets.write(kind, editing.entries_of(workspace, kind))
    headers = {"Content-Disposition": f'attachment; filename="{slug}.csv"'}
    return HttpResponse(data, content_type="text/csv; charset=utf-8", headers=headers)


@for_workspace
@require_http_methods(["GET", "HEAD", "POST"])
def import_table(request: HttpRequest, workspace: str, slug: str) -> HttpResponse:
    """The form, then the plan of the import beside the table, which can be corrected; then the
    import itself, unless the list or the table has changed since the plan was shown.
    """
    kind = kind_of(slug)
    if request.method != "POST":
        return _page(request, kind, TableForm())
    form = TableForm(request.POST, request.FILES)
    plan = _plan(workspace, kind, form) if form.is_valid() else None
    if plan is None:
        return _page(request, kind, form, status=422)
    if "apply" not in request.POST:
        return _page(request, kind, form, plan)
    if request.POST.get("fingerprint") != plan.fingerprint:
        return _page(request, kind, form, plan, changed=True, status=409)
    importing.apply(workspace, plan)
    messages.success(request, _done(plan))
    return redirect("catalogue:list", slug)


def _plan(workspace: str, kind: Kind, form: TableForm) -> importing.Plan | None:
    try:
        return importing.plan(workspace, kind, form.cleaned_data["text"])
    except UnreadableTable as error:
        form.add_error("file" if form.cleaned_data.get("file") else "text", str(error))
        return None


def _page(
    request: HttpRequest,
    kind: Kind,
    form: TableForm,
    plan: importing.Plan | None = None,
    *,
    changed: bool = False,
    status: int = 200,
) -> HttpResponse:
    text = form.cleaned_data.get("text") if form.is_bound else ""
    if text and form.files:  # from here on the text is what counts, and can be put right
        form.data = {"text": text}
    context = {
        **list_context(kind),
        "form": form,
        "plan": plan,
        "note": form.note,
        "changed": changed,
    }
    plural = context["about"].plural
    context["title"] = f"Import {plural[0].lower()}{plural[1:]}"
    context["columns"] = [HEADINGS[name] for name in spreadsheets.columns_of(kind)]
    if plan:
        order = (importing.WRONG, importing.CHANGE, importing.ADD, importing.SAME)
        rows = sorted(plan.rows, key=lambda row: order.index(row.action))
        context["rows"] = sorted(rows[:MOST_SHOWN], key=lambda row: row.line)
        context["left_out"] = max(0, len(rows) - MOST_SHOWN)
        context["tally"] = [(word, plan.counts[word]) for word in order]
    return render(request, "catalogue/import.html", context, status=status)


def _done(plan: importing.Plan) -> str:
    added, changed = plan.counts[importing.ADD], plan.counts[importing.CHANGE]
    left = plan.counts[importing.WRONG]
    tail = f" {left} left out, with something wrong in them." if left else ""
    return f"{added} added, {changed} changed.{tail}"
