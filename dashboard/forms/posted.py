"""The fields of an unbound form as a browser sends them."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.http import QueryDict

from dashboard.forms.fields import PairsField


def posted_fields(form: forms.Form) -> QueryDict:
    """What is sent if the form is submitted as it is shown. A widget that sends other names than
    its own says them by `posted(name, value)`, as pairs of a name and its texts.
    """
    data = QueryDict(mutable=True)
    for bound in form:
        own = getattr(bound.field.widget, "posted", None)
        value = bound.value()
        pairs = own(bound.html_name, value) if own else _posted(bound, value)
        for name, texts in pairs:
            data.setlist(name, texts)
    return data


def _posted(bound: forms.BoundField, value: Any) -> Iterable[tuple[str, list[str]]]:
    name = bound.html_name
    if isinstance(bound.field, PairsField):
        pairs = {key: bound.field.widget.text(key, one) for key, one in (value or {}).items()}
        return [(f"{name}-name", list(pairs)), (f"{name}-value", list(pairs.values()))]
    if value is None or value is False:
        return []
    shown = "on" if value is True else bound.field.widget.format_value(value)
    texts = shown if isinstance(shown, list | tuple) else [shown]
    return [(name, [str(text) for text in texts if text is not None])]
