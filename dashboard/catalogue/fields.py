"""Form fields for references to entries of the lists. Call `use(workspace)` before they are shown.

Any number is accepted, named or not, because only the service knows which ids exist.
"""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils.html import format_html

from dashboard.accounts.models import User
from dashboard.accounts.roles import ADMINISTRATOR
from dashboard.gateway import whole_number

from . import cached_lists
from .kinds import ABOUT, NAMED_ALONE, TEXT_CODES, Kind
from .widgets import ListWidget, ReferencesWidget, ReferenceWidget, SuggestWidget

MOST_ASKED = 2  # administrators who are named as those to ask


class _ListField(forms.Field):
    widget: ListWidget

    def __init__(self, *, kind: Kind | str, widget: ListWidget, **kwargs: Any) -> None:
        self.kind = Kind(kind)
        super().__init__(widget=widget, **kwargs)
        self.asked = str(self.help_text)

    def use(self, workspace: str, *, manages: bool = False) -> None:
        """Offer the lists of this workspace. `manages`: the person may edit the lists."""
        self.widget.workspace = workspace
        words = where_to_find(workspace, self.kind, manages=manages)
        if words:
            self.help_text = format_html("{} {}", self.asked, words) if self.asked else words

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

    widget: ReferencesWidget

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


def where_to_find(workspace: str, kind: Kind, *, manages: bool) -> str:
    """Where the ids of a list are found that has no name yet, and who names them: a link for those
    who may, else whom to ask. "" for a list with names.
    """
    lists = cached_lists.of(workspace)
    if lists.of(kind):
        return ""
    words = f"{ABOUT[kind].plural} have no names here yet"
    if kind in NAMED_ALONE:
        words += ": enter the service's own name"
    elif not lists.offered(kind):
        words += ": enter the service's own number, which stands at the end of its address there"
    if not manages:
        return f"{words}. {_whom_to_ask(workspace)}"
    link = '{}. <a href="{}">Set up the lists</a>'
    return format_html(link, words, reverse("setup:page"))


def _whom_to_ask(workspace: str) -> str:
    people = User.objects.filter(is_active=True, groups__name=ADMINISTRATOR)
    people = people.filter(key_pair__workspace=workspace).order_by("pk")
    names = [person.display_name for person in people[:MOST_ASKED]]
    return f"Ask {' or '.join(names) or 'an administrator'} to name them."
