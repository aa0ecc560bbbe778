"""Form fields for references to entries of the lists. Call `use(workspace)` before they are shown.

Any number is accepted, named or not, because only the service knows which ids exist.
"""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils.html import format_html

from dashboard.gateway import whole_number

from . import cached_lists
from .kinds import ABOUT, NAMED_ALONE, TEXT_CODES, Kind
from .widgets import ListWidget, ReferencesWidget, ReferenceWidget, SuggestWidget


class _ListField(forms.Field):
    widget: ListWidget

    def __init__(self, *, kind: Kind | str, widget: ListWidget, **kwargs: Any) -> None:
        self.kind = Kind(kind)
        super().__init__(widget=widget, **kwargs)
        self.asked = str(self.help_text)

    def use(self, workspace: str, *, manages: bool = False) -> None:
        """Offer the lists of this workspace. `manages`: the person may edit the lists."""
        self.widget.workspace = workspace
        if not cached_lists.of(workspace).offered(self.kind):
            self.help_text = _explain(self.kind, self.asked, manages=manages)

    def _unknown(self, text: str) -> ValidationError:
        if not self.widget.offered:
            return ValidationError(f"“{text}” is not a number. Enter a whole number, such as 17.")
        return ValidationError(
            f"There is no {self.kind.label} called “{text}”. "
            "Choose one that is offered, or enter a number."
        )


class ReferenceField(_ListField):
    """The id of one entry: an int, or a str where the reference has a string; None for nothing."""

    def __init__(self, *, kind: Kind | str, **kwargs: Any) -> None:
        kwargs.setdefault("widget", ReferenceWidget(Kind(kind)))
        super().__init__(kind=kind, **kwargs)

    def to_python(self, value: object) -> int | str | None:
        """The id for the text of the widget."""
        text = str(value or "").strip()
        if not text:
            return None
        if self.kind in TEXT_CODES and self.widget.is_code(text):
            return text
        number = whole_number(text)
        if number is None:
            raise self._unknown(text)
        return number


class ReferencesField(_ListField):
    """The ids of several entries, as a list of int without repeats."""

    def __init__(self, *, kind: Kind | str, **kwargs: Any) -> None:
        kwargs.setdefault("widget", ReferencesWidget(Kind(kind)))
        super().__init__(kind=kind, **kwargs)

    def to_python(self, value: object) -> list[int]:
        """The ids for the text of the widget."""
        words = [word.strip() for word in str(value or "").split(",") if word.strip()]
        numbers: dict[int, None] = {}
        for word in words:
            number = whole_number(word)
            if number is None:
                raise self._unknown(word)
            numbers[number] = None
        return list(numbers)


class SuggestField(forms.CharField):
    """Free text with suggestions; `kind` is one of kinds.WORDS."""

    widget: SuggestWidget

    def __init__(self, *, kind: Kind | str, **kwargs: Any) -> None:
        self.kind = Kind(kind)
        super().__init__(widget=SuggestWidget(self.kind), **kwargs)

    def use(self, workspace: str, *, manages: bool = False) -> None:
        """Suggest the texts that were written in this workspace before."""
        self.widget.workspace = workspace


def _explain(kind: Kind, asked: str, *, manages: bool) -> str:
    about = ABOUT[kind]
    number = "name" if kind in NAMED_ALONE else "number"
    words = f"{about.plural} have no names here yet: enter the service's own {number}."
    if not manages:
        return format_html("{} {}", asked, words) if asked else words
    url = reverse("catalogue:list", args=[about.slug])
    link = format_html('<a href="{}">Name them</a>', url)
    return format_html("{} {} {}", asked, words, link)
