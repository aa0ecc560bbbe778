"""The markup of Django's own controls, as functions of the context of their widgets.

They draw what the templates of the same names in django/forms/widgets/ draw, at a fifth of the
function calls: a form has up to a hundred controls.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from markupsafe import escape

WIDGETS = "django/forms/widgets"
INPUTS = ("checkbox", "checkbox_option", "date", "email", "hidden", "number", "password",
          "radio_option", "text", "url")  # fmt: skip
Widget = Mapping[str, Any]
_SPECIAL = re.compile("[&<>\"']")


def escaped(value: object) -> str:
    """Escape a text for HTML, unless it is safe; most texts have nothing to escape."""
    return value if type(value) is str and not _SPECIAL.search(value) else escape(value)


def _input(widget: Widget) -> str:
    value = widget["value"]
    written = "" if value is None else f' value="{escaped(value)}"'
    start = f'<input type="{widget["type"]}" name="{escaped(widget["name"])}"'
    return f"{start}{written}{_attributes(widget)}>"


def _textarea(widget: Widget) -> str:
    start = f'<textarea name="{escaped(widget["name"])}"{_attributes(widget)}>'
    return f"{start}\n{escaped(widget['value'] or '')}</textarea>"


def _select(widget: Widget) -> str:
    groups = [
        f'<optgroup label="{escaped(title)}">{_options(options)}</optgroup>'
        if title
        else _options(options)
        for title, options, _ in widget["optgroups"]
    ]
    start = f'<select name="{escaped(widget["name"])}"{_attributes(widget)}>'
    return f"{start}{''.join(groups)}</select>"


def _options(options: list[Widget]) -> str:
    return "".join(
        [
            f'<option value="{escaped(each["value"])}"{_attributes(each)}>'
            f"{escaped(each['label'])}</option>"
            for each in options
        ]
    )


def _attributes(widget: Widget) -> str:
    return "".join(
        [
            f" {name}" if value is True else f' {name}="{escaped(value)}"'
            for name, value in widget["attrs"].items()
            if value is not False
        ]
    )


CONTROLS: Mapping[str, Callable[[Widget], str]] = {
    **{f"{WIDGETS}/{name}.html": _input for name in INPUTS},
    f"{WIDGETS}/textarea.html": _textarea,
    f"{WIDGETS}/select.html": _select,
}
