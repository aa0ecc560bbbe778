"""The base class of record forms, which sends only the fields that a person changed.

An edit form carries a signed snapshot of the values it opened with. A field whose value equals the
snapshot is untouched: it is neither validated nor sent. So a record with an invalid old value can
be edited, and another person's change to a different field is not overwritten.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from django import forms
from django.core import signing
from django.forms.boundfield import BoundField
from django.http import QueryDict

from dashboard.core.service_name import SERVICE
from dashboard.gateway import Record, Rejected, Unreadable
from dashboard.office.kinds import Kind
from dashboard.office.record_field import FormValue, RecordField
from dashboard.office.reference_fields import ReferenceWidget
from dashboard.office.reference_lists import entry as entry_of
from dashboard.office.reference_lists import only_currency
from dashboard.people.context import RequestContext
from dashboard.reader.rejections import Reason, reasons, service_words
from dashboard.schema.custom_fields import CustomFieldsField
from dashboard.schema.fields import BooleanField, ChoiceField, display
from dashboard.schema.inputs import MoneyField
from dashboard.text.amounts import why_foreign
from dashboard.text.numbers import has_currency_sign
from dashboard.text.style import PLAIN, Style

EMPTY: tuple[object, ...] = (None, "", [], {})
Conflict = tuple[str, FormValue, FormValue]
SNAPSHOT_SALT = "records.snapshot"
CHOICE, CHOOSE_ALL = (
    "choice-",
    "choose-all",
)  # fields of the page of a conflict (records/conflicts.py)
THEIRS = "theirs"
SAVE = "save"  # focused if everything is filled in
INLINE_WIDGETS = (forms.TextInput, forms.EmailInput, forms.Textarea, forms.Select, ReferenceWidget)


class RecordForm(forms.Form):
    """A form whose fields carry the API's names.

    `more`: the fields under "More fields". `half_width`: those that take half the width.
    `ask_before_emptying`: the confirmation question of each field whose emptying clears a whole set
    in the service. `links`: the field that each query parameter fills. `remembered`: the fields
    that are preset to the person's last choice; `defaults_to_self`: those that are preset to the
    person's own id. `in_bulk`: those of the bulk form; () for all that are chosen and not typed.
    `ctx`: the request context, for fields that offer the workspace's lists. `before_choices`: the
    snapshot from before the person chose between two versions. A form that is shown again returns
    to it, so that the person chooses again.
    """

    use_required_attribute = False
    base_fields: ClassVar[dict[str, RecordField]]  # type: ignore[assignment]
    fields: dict[str, RecordField]  # type: ignore[assignment]
    more: ClassVar[tuple[str, ...]] = ()
    half_width: ClassVar[tuple[str, ...]] = ()
    ask_before_emptying: ClassVar[Mapping[str, str]] = {}
    links: ClassVar[Mapping[str, str]] = {}
    remembered: ClassVar[tuple[str, ...]] = ()
    defaults_to_self: ClassVar[tuple[str, ...]] = ()
    in_bulk: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        data: Any = None,
        *,
        opened_with: Mapping[str, FormValue] | None = None,
        ctx: RequestContext | None = None,
        **kwargs: Any,
    ):
        self.ctx = ctx
        self.opened_with = opened_with
        self.before_choices: Mapping[str, FormValue] | None = None
        self.service_words: Sequence[str] = ()  # of a rejection
        self._unchecked = False
        self.focused = ""
        if opened_with is not None:
            kwargs["initial"] = {**kwargs.get("initial", {}), **opened_with}
        super().__init__(data, **kwargs)
        self.takes_proposals = not self.prefix  # by the button beside an error (form_drafts.py)
        if not self.is_bound:  # a form with errors focuses their summary
            visible = (name for name, field in self.fields.items() if not field.widget.is_hidden)
            self.focus(next(visible, ""))
        self._configure_fields(ctx)
        self._disable_unreadable()
        self._offer_current_choices()
        self._confirm_emptying()

    @classmethod
    def read(cls, record: Record, style: Style = PLAIN) -> dict[str, FormValue]:
        """Return the record's values as form values, without unreadable ones."""
        values = {name: record.get(name) for name in cls.base_fields}
        return {
            name: display(value, style)
            for name, value in values.items()
            if not isinstance(value, Unreadable)
        }

    @classmethod
    def linked_to(cls, params: Mapping[str, str], ctx: RequestContext) -> dict[str, Any]:
        """Return the initial values of a new record's form from the query parameters in `links`."""
        return {field: params[name] for name, field in cls.links.items() if params.get(name)}

    def understood(self, params: Mapping[str, str]) -> Sequence[object]:
        """Return the parsed parts of the text in the form's URL, for forms that take one."""
        return ()

    @classmethod
    def typed_facts(cls, data: QueryDict, ctx: RequestContext) -> list[str]:
        """Return texts that tell a draft from others besides its name; none by default."""
        return []

    def main(self) -> list[str]:
        """Return the names of the fields that are always open."""
        return [name for name in self.fields if name not in self.more]

    def collapsed(self) -> list[str]:
        """Return the names of the fields under "More fields"."""
        return [name for name in self.fields if name in self.more]

    def undrawn(self) -> list[str]:
        """Return the names of the fields that a new page has in hidden inputs until they are
        opened.
        """
        return [] if self.is_bound or self.is_collapsed_open else self.collapsed()

    def in_rows(self, names: Iterable[str]) -> list[list[BoundField]]:
        """Return fields in rows: two consecutive short ones, or one."""
        rows: list[list[BoundField]] = []
        for name in names:
            before = [field.name for field in rows[-1]] if rows else []
            if name in self.half_width and len(before) == 1 and before[0] in self.half_width:
                rows[-1].append(self[name])
            else:
                rows.append([self[name]])
        return rows

    @classmethod
    def editable_in_place(cls) -> frozenset[str]:
        """Return the fields that can be changed alone: one plain control, with no question before
        emptying.
        """
        return frozenset(
            name
            for name, field in cls.base_fields.items()
            if isinstance(field.widget, INLINE_WIDGETS)
            and not isinstance(field.widget, forms.SelectMultiple)
            and name not in cls.ask_before_emptying
        )

    def focus(self, name: str) -> None:
        """Focus only this field when the page loads; SAVE focuses the button."""
        for field in self.fields.values():
            field.widget.attrs.pop("autofocus", None)
        if name in self.fields:
            self.fields[name].widget.attrs["autofocus"] = True
        self.focused = name

    @property
    def is_collapsed_open(self) -> bool:
        return not {*self.errors, self.focused}.isdisjoint(self.collapsed())

    def clean(self) -> dict[str, Any]:
        for name, field in self.fields.items():
            if isinstance(field, MoneyField):
                self.check_currency(name, self.currency_name(field.currency))
        for name in [name for name in self.errors if self.untouched(name)]:
            del self.errors[name]
        return self.cleaned_data

    def check_currency(self, name: str, currency: str) -> None:
        text = str(self.typed_value(name) or "")
        if has_currency_sign(text) and (reason := why_foreign(text, currency)):
            self.add_error(name, reason)

    def currency_name(self, name: str) -> str:
        """Return the name of the currency chosen in a field, else that of the whole office; "" if
        neither is known.
        """
        workspace = self.ctx.workspace if self.ctx else ""
        code = self[name].value() if name in self.fields else ""
        entry = entry_of(workspace, Kind.CURRENCY, code) if code else None
        return entry.name if entry else "" if code else only_currency(workspace)

    def untouched(self, name: str) -> bool:
        """Return whether a field still has the value with which the edit form was opened, or the
        person chose to keep another person's change.
        """
        if self.opened_with is None or name not in self.base_fields:
            return False
        if name not in self.opened_with:
            return True  # unreadable, and therefore disabled
        if self._chose_theirs(name):
            return True
        field = self.fields[name]
        return field.comparable(self.typed_value(name)) == field.comparable(field.opened)

    def typed_value(self, name: str) -> Any:
        return self[name].data

    def touched(self) -> list[str]:
        return [name for name in self.base_fields if not self.untouched(name)]

    def payload(self) -> dict[str, Any]:
        """Return the body to send: all filled-in fields of a new record, else only the touched
        ones.
        """
        body: dict[str, Any] = {}
        for name in self.touched():
            body |= self.fields[name].in_body(name, self.cleaned_data[name])
        if self.opened_with is None:
            return {name: value for name, value in body.items() if value not in EMPTY}
        return body

    def leave_unchecked(self) -> None:
        """Show the typed values without any error, as the form is not finished: Django does not
        check an unchanged form that may stay empty.
        """
        self.empty_permitted = self._unchecked = True
        self.full_clean()

    def has_changed(self) -> bool:
        """Return whether anything differs from the initial values; see `leave_unchecked`."""
        return not self._unchecked and super().has_changed()

    def _chose_theirs(self, name: str) -> bool:
        choice = self.data.get(CHOICE + name)
        return bool(choice) and self.data.get(CHOOSE_ALL, choice) == THEIRS

    def show_rejection(self, error: Rejected) -> None:
        """Show the reasons beside their fields, and the others above the form."""
        self.service_words = service_words(error)
        for reason in reasons(error, self.fields):
            self.show_reason(reason)

    def show_reason(self, reason: Reason) -> None:
        field = self.fields.get(reason.field)
        if isinstance(field, CustomFieldsField):
            field.mark_row(reason.part, reason.text)
        label = field.part_label(reason.part) if field else ""
        self.add_error(reason.field or None, f"{label}: {reason.text}" if label else reason.text)

    def _configure_fields(self, ctx: RequestContext | None) -> None:
        for name, field in self.fields.items():
            field.opened = (self.opened_with or {}).get(name)
            if ctx:
                field.bind(ctx)

    def _disable_unreadable(self) -> None:
        for name in self.base_fields if self.opened_with is not None else ():
            if self.opened_with is not None and name not in self.opened_with:
                self.fields[name].disabled = True
                words = f"We couldn't read this value from {SERVICE}."
                self.fields[name].help_text = words

    def _offer_current_choices(self) -> None:
        """Add a current value that is not among the choices. A browser would otherwise select and
        send another one.
        """
        for field in self.fields.values():
            code = field.opened
            if isinstance(field, ChoiceField) and code is not None and not field.valid_value(code):
                words = field.caption(code) or "Not set"
                field.choices = [(str(code), words), *field.captions.items()]

    def _confirm_emptying(self) -> None:
        for name, question in self.ask_before_emptying.items():
            if self.is_bound and self._emptied(name):
                self.fields[f"empty_{name}"] = BooleanField(label=question)

    def _emptied(self, name: str) -> bool:
        field = self.fields[name]
        is_filled = bool(field.comparable(field.opened))
        return is_filled and not field.comparable(self.typed_value(name))


def seal_snapshot(values: Mapping[str, FormValue], *, of: str) -> str:
    """Return the values a form opened with, signed together with the record's name, for a hidden
    field.
    """
    return signing.dumps({"of": of, "values": values}, salt=SNAPSHOT_SALT, compress=True)


def open_snapshot(sealed: str, *, of: str) -> dict[str, FormValue] | None:
    """Return the values signed for this record; None for an invalid signature or another record."""
    try:
        snapshot = signing.loads(sealed, salt=SNAPSHOT_SALT)
    except signing.BadSignature:
        return None
    return snapshot["values"] if snapshot["of"] == of else None


def conflicts(form: RecordForm, current: Mapping[str, FormValue]) -> Iterator[Conflict]:
    """Yield touched fields that were also changed elsewhere, as (name, was, is now).

    An equal change is no conflict.
    """
    for name in form.touched():
        comparable = form.fields[name].comparable
        opened, now = ((source or {}).get(name, "") for source in (form.opened_with, current))
        if comparable(now) not in (comparable(opened), comparable(form.typed_value(name))):
            yield name, opened, now


def posted_fields(form: RecordForm, names: Iterable[str] | None = None) -> QueryDict:
    """Return what a browser submits for the unchanged form, or for some fields of it."""
    data = QueryDict(mutable=True)
    for name in form.fields if names is None else names:
        field = form.fields[name]
        for control, texts in field.posted(form.add_prefix(name), form[name].value()):
            data.setlist(control, texts)
    return data
