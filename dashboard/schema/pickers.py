"""The picker: a combobox for references to other records.

A picker posts a text and the id of the chosen record. picker.js lists matches while a person
types. A text without a chosen match is looked up when the form is sent, and accepted if exactly one
record has that name.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.text import Truncator

from dashboard.core.templates import address
from dashboard.gateway import Endpoint, GatewayError, whole_number
from dashboard.office.record_field import RecordField
from dashboard.people.context import RequestContext
from dashboard.reader import find
from dashboard.reader.find import Match

PREFER, LISTED = "prefer", "listed"  # parameters of the address of the matches
MAX_LISTED = 50  # ids in it
MAX_SHOWN = 60  # characters of a typed text in a message
TYPED = "?"  # in front of a text for which no record is chosen yet


class PickerWidget(forms.Widget):
    """The text input and the hidden id of the chosen record."""

    template_name = "schema/picker.html"

    listed: Sequence[int] = ()

    def __init__(
        self, endpoint: Endpoint, base_filters: Mapping[str, str], prefers: str = ""
    ) -> None:
        super().__init__()
        self.endpoint = endpoint
        self.base_filters = base_filters
        self.prefers = prefers
        self.ctx: RequestContext | None = None
        self.creates = False
        self.created_with: Mapping[str, str] = {}
        self.within = ""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> str:
        """Return the chosen id, or TYPED and the text if it is not the name of that record."""
        chosen, text = data.get(name, "").strip(), data.get(f"{name}-text")
        if text is None:
            return chosen if isinstance(chosen, str) else ""
        text = text.strip()
        if chosen and text == data.get(f"{name}-was", "").strip():
            return str(chosen)
        return f"{TYPED}{text}" if text else ""

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        """Add `picker`, which the template draws."""
        context = super().get_context(name, value, attrs)
        value = str(value or "")
        number = whole_number(value)
        chosen = str(number or "")
        text = self.title(number) if number else value.removeprefix(TYPED)
        context["picker"] = {
            "chosen": chosen,
            "text": text,
            "was": text if chosen else "",
            "noun": self.endpoint.singular,
            "url": self.url("pick"),
            "new_url": self.url("quick", self.created_with) if self.creates else "",
            "within": self.within,
        }
        return context

    def title(self, record_id: int) -> str:
        if self.ctx is None:
            return find.numbered(self.endpoint, record_id)
        return find.read_title(self.ctx.gateway, self.endpoint, record_id)

    def url(self, page: str, params: Mapping[str, str] | None = None) -> str:
        if params is None:
            order = {PREFER: self.prefers, LISTED: ",".join(map(str, self.listed))}
            params = {
                **self.base_filters,
                **{name: value for name, value in order.items() if value},
            }
        return address(self.endpoint.name, None, page, dict(params))


class PickerField(RecordField):
    """A reference to another record; cleans to its id or None.

    base_filters: filters of the list of matches, such as {"type": "2"}. prefers: the filter and
    value whose matches come first, such as "type:2". creates: offer the quick form of its resource;
    `created_with`: the values of that form. within: another field of the form; records that belong
    to the one chosen there come first.
    """

    widget: PickerWidget
    api_kind = "integer"
    verb = "Choose"

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        base_filters: Mapping[str, str] | None = None,
        prefers: str = "",
        creates: bool = False,
        created_with: Mapping[str, str] | None = None,
        within: str = "",
        **kwargs: Any,
    ) -> None:
        self.endpoint = endpoint
        super().__init__(widget=PickerWidget(endpoint, base_filters or {}, prefers), **kwargs)
        self.widget.within = within
        self.widget.creates = creates
        self.widget.created_with = created_with or {}

    def bind(self, ctx: RequestContext) -> None:
        """Look up names through the gateway of this context."""
        self.widget.ctx = ctx

    def caption(self, value: Any) -> str:
        """Return the name of the record, or the typed text."""
        text = str(value or "")
        number = whole_number(text)
        return self.widget.title(number) if number else text.removeprefix(TYPED)

    def to_python(self, value: Any) -> int | None:
        """Return the chosen id, or the id of the only record with the typed name."""
        text = str(value or "").strip()
        if not text:
            return None
        return whole_number(text) or self._id_of(text.removeprefix(TYPED))

    def _find(self, text: str) -> list[Match]:
        widget = self.widget
        if widget.ctx is None:
            return []
        how: dict[str, Any] = {"prefers": widget.prefers, "listed": widget.listed}
        return find.search(widget.ctx.gateway, self.endpoint, text, widget.base_filters, **how)

    def _id_of(self, text: str) -> int:
        if text.startswith("#") and (numbered := whole_number(text[1:])):
            return numbered
        try:
            matches = self._find(text)
        except GatewayError:
            raise ValidationError("We couldn't look up this name. Try again.") from None
        if meant := find.unambiguous_match(matches, text):
            return meant.id
        if not matches:
            shown = Truncator(text).chars(MAX_SHOWN)
            raise ValidationError(f"No {self.endpoint.singular} matches “{shown}”.")
        raise ValidationError("Choose one of the matches.")
