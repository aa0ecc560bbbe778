"""Forms of new records filled from one line (?line=); see quick_entry_grammar.py."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.forms import ChoiceField
from django.utils import timezone

from dashboard.gateway import CONTACTS, GatewayError
from dashboard.office import recents
from dashboard.office import reference_lists as catalogue
from dashboard.office.kinds import Kind
from dashboard.people.context import RequestContext
from dashboard.people.keys import owner_of
from dashboard.reader import find
from dashboard.records.form_drafts import PREFILLED_SUBMIT, form_input
from dashboard.schema import pickers
from dashboard.schema.pickers import PickerField
from dashboard.schema.record_form import RecordForm
from dashboard.text.plain import folded, typed_text

from .quick_entry_grammar import UNLABELLED, EntryContext, EntryPart, loose_text, read_entry

LINE = "line"  # the parameter of the form's address


class OneLineForm(RecordForm):
    """`entry`: the kind of record in quick_entry_grammar.py. `parts`: form fields by part;
    UNLABELLED is for text without a rule. `known`: duplicates to report below a field.
    """

    entry: ClassVar[str]
    parts: ClassVar[Mapping[str, str]]
    known: Mapping[str, Any] = {}

    @classmethod
    def linked_to(cls, params: Mapping[str, str], ctx: RequestContext) -> dict[str, Any]:
        """Return the values of ?line=, overridden by other parameters, such as ?contact=."""
        values = super().linked_to(params, ctx)
        text = typed_text(params, LINE)
        return {**cls.from_parts(parts_of(cls.entry, text, ctx), ctx), **values} if text else values

    @classmethod
    def from_parts(cls, parts: list[EntryPart], ctx: RequestContext) -> dict[str, Any]:
        """Return the initial values of the form from the parts of a line."""
        values = {cls.parts[part.name]: part.value for part in parts if part.name in cls.parts}
        for name, value in values.items():
            field = cls.base_fields[name]
            if isinstance(field, PickerField):
                values[name] = picked(field, value, ctx)
            elif isinstance(field, ChoiceField):
                choices: Any = field.choices
                values[name] = next((key for key, label in choices if label == value), value)
        if loose := loose_text(parts):
            values[cls.parts[UNLABELLED]] = loose
        return values

    def understood(self, params: Mapping[str, str]) -> list[EntryPart]:
        """Return the parts of ?line=; nothing for a submitted form."""
        text = typed_text(params, LINE)
        return parts_of(self.entry, text, self.ctx) if text and self.ctx else []


def parts_of(entry: str, text: str, ctx: RequestContext) -> list[EntryPart]:
    """Parse a line, with the workspace's lead sources and the person's recent contacts."""
    now = timezone.localtime().replace(tzinfo=None)
    sources = catalogue.suggestions(ctx.workspace, Kind.LEAD_SOURCE)
    person = ctx.person if entry == "task" else None
    rows = recents.seen(person, owner_of(ctx.gateway)) if person else []
    contacts = [row.title for row in rows if row.resource == CONTACTS.name]
    return read_entry(entry, text, EntryContext(now, ctx.style, sources, [*filter(None, contacts)]))


def picked(field: PickerField, text: str, ctx: RequestContext, *, sure: bool = True) -> str:
    """Return the id of the only record with this name, or with these words in its name if the form
    is shown before it is sent; else the text to search by: "" unless `sure`.
    """
    typed = f"{pickers.TYPED}{text}" if sure else ""
    try:
        matches = find.search(ctx.gateway, field.endpoint, text, field.widget.base_filters)
    except GatewayError:
        return typed
    same = find.exact_matches(matches, text)
    is_shown = not form_input(ctx).has(PREFILLED_SUBMIT)
    if not same and is_shown and len(matches) < find.MAX_MATCHES:
        same = [match for match in matches if folded(text) in folded(match.title)]
    return str(same[0].id) if len(same) == 1 else typed
