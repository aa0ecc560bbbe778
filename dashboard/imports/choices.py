"""Applies the choices and edits that a person made on the page of a file: for its columns and rows,
and default values for fields without a column.
"""

from collections.abc import Container

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict

from dashboard.gateway import whole_number
from dashboard.imports.import_file import CREATE, SKIP, UPDATE, ImportFile, ImportSettings
from dashboard.imports.questions import ANSWER, ANSWERS
from dashboard.imports.totals_rows import sum_rows
from dashboard.office import reference_lists as catalogue
from dashboard.office.reference_fields import ReferenceField, ReferencesField
from dashboard.people.context import RequestContext
from dashboard.schema import new_record
from dashboard.schema.pickers import PickerField
from dashboard.schema.record_form import RecordForm, posted_fields
from dashboard.schema.resource import Resource
from dashboard.tables import limits
from dashboard.tables.encodings import ENCODINGS
from dashboard.tables.reading import KEEP, REPAIR
from dashboard.tables.separated import SEPARATORS
from dashboard.text.plain import cleaned

POSTED = "defaults"  # names the fields that the page has shown
LINES = "items"  # of a document
MAX_LENGTH = 500  # characters
NEEDED = "Required: the file has no column for it."


def apply_settings(
    settings: ImportSettings, data: QueryDict, targets: Container[str], *, may_update: bool
) -> None:
    """Apply the reading options; invalid choices are ignored."""
    reading = {"encoding": ENCODINGS, "separator": SEPARATORS, "letters": (REPAIR, KEEP)}
    for name, allowed in reading.items():
        if data.get(name, "") in ("", *allowed):
            setattr(settings, name, data.get(name, ""))
    settings.sheet = data.get("sheet", "")
    settings.header = whole_number(data.get("header", ""), least=0)
    allowed_ones = (CREATE, UPDATE) if may_update else (CREATE,)
    on_existing = data.get("on_existing", "")
    settings.on_existing = on_existing if on_existing in allowed_ones else SKIP
    columns = [*map(str, range(limits.MAX_COLUMNS))]
    names = {number: str(data.get(f"field-{number}", "")) for number in columns}
    settings.fields = {number: name for number, name in names.items() if name in targets}
    for kind, codes in ANSWERS.items():
        for number in columns:
            code = str(data.get(f"{ANSWER}{number}-{kind}", "-"))
            if code in codes:
                settings.answers.setdefault(number, {})[kind] = code
            elif code == "":
                settings.answers.get(number, {}).pop(kind, None)


def apply_edits(file: ImportFile, data: QueryDict) -> None:
    """Apply edited cells and excluded rows.

    Input outside of the table is ignored, so that the stored edits stay as small as the file.
    """
    settings, numbers = file.settings, {row.number for row in file.table.rows}
    edit_cells(settings, data, file.targets, numbers)
    posted = {whole_number(text) for text in data.getlist("row")}
    shown = {number for number in numbers if number in posted}
    left = {number for number in shown if f"exclude-{number}" in data}
    chosen = {str(number): data.get(f"same-{number}") for number in shown}
    settings.same_as |= {row: code for row, code in chosen.items() if code is not None}
    sums = {*sum_rows(file.table, settings.fields or {})}
    hidden = {*file.table.hidden_rows} & numbers if "leave-hidden" in data else set[int]()
    settings.excluded = sorted(((set(settings.excluded) - shown) | left | hidden) - sums)
    settings.included = sorted((set(settings.included) - shown) | (shown & sums) - left)


def edit_cells(
    settings: ImportSettings,
    data: QueryDict,
    targets: Container[str],
    numbers: Container[int | None],
) -> None:
    for name, text in data.items():
        kind, _, rest = name.partition("-")
        row, _, field = rest.partition("-")
        if kind != "cell" or whole_number(row) not in numbers or field not in targets:
            continue
        if text != data.get(f"was-{rest}"):  # else as the page, which may be older, has shown it
            settings.edits.setdefault(row, {})[field] = cleaned(str(text))


def default_form(resource: Resource, ctx: RequestContext, settings: ImportSettings) -> RecordForm:
    initial = new_record.initial_values(ctx, resource, settings.defaults)
    return resource.create_form(ctx=ctx, initial=initial)


def apply_defaults(settings: ImportSettings, data: QueryDict, form: RecordForm) -> list[str]:
    said: list[str] = []
    shown = [name for name in data.getlist(POSTED) if name in form.fields]
    for name in shown:
        field = form.fields[name]
        text = cleaned(str(field.widget.value_from_datadict(data, {}, name) or ""))
        if isinstance(field, PickerField):
            text, words = chosen_record(field, text)
            said += words
        settings.defaults[name] = text[:MAX_LENGTH]
    return said


def chosen_record(field: PickerField, text: str) -> tuple[str, list[str]]:
    """Return the id of the chosen or typed record, "" for none, and the errors."""
    try:
        return str(field.to_python(text) or ""), []
    except ValidationError as error:
        return "", [f"{field.label}: {error.message}"]


def default_fields(
    resource: Resource, ctx: RequestContext, settings: ImportSettings, lacking: Container[str]
) -> list[forms.BoundField]:
    """Return the fields without a column that are required or chosen from a list, required ones
    first. `lacking`: the fields with an error in some row; their default values are validated.
    """
    used = set((settings.fields or {}).values())
    begun = default_form(resource, ctx, settings)
    names = [name for name, field in begun.fields.items() if name not in used and name not in
             (resource.title_field, LINES) and _has_default(field, ctx)]  # fmt: skip
    names.sort(key=lambda name: not begun.fields[name].required)
    form = resource.create_form(posted_fields(begun), ctx=ctx)
    form.full_clean()
    for name in names:
        if name not in lacking:
            form.errors.pop(name, None)
        elif name in form.errors and not begun[name].value():
            form.errors[name] = form.error_class([NEEDED])
    if wrong := next((name for name in names if name in form.errors), ""):
        form.focus(wrong)
    return [form[name] for name in names]


def _has_default(field: forms.Field, ctx: RequestContext) -> bool:
    if isinstance(field, ReferenceField | ReferencesField) and not field.required:
        return bool(catalogue.choices(ctx.workspace, field.kind))
    return field.required
