"""The rendering of pages, forms and mails: the Jinja2 environment, URLs, and every form's labels,
help, errors and controls.

Forms declare fields and widgets; classes, ARIA attributes and markup come from here and from
templates/schema/.
"""

import hashlib
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from django import forms
from django.conf import settings
from django.contrib.staticfiles import finders
from django.forms.boundfield import BoundField
from django.forms.renderers import TemplatesSetting
from django.forms.widgets import ChoiceWidget
from django.http import HttpRequest
from django.template import engines
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.utils.dateformat import format as formatted
from jinja2 import ChainableUndefined, Environment, select_autoescape
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup, escape

from dashboard.core.request_log import request_id
from dashboard.core.service_name import SERVICE, SERVICE_AT_START
from dashboard.text.plain import clean_input


def environment(**options: Any) -> Environment:
    """Called by Django's Jinja2 backend with the OPTIONS of settings.TEMPLATES."""
    options |= {
        "autoescape": select_autoescape(["html"]),  # mails are plain text
        "trim_blocks": True,
        "lstrip_blocks": True,
        "undefined": ChainableUndefined,  # most of a context is optional: `failure.field`
    }
    env = Environment(**options)  # noqa: S701  # nosec B701 # autoescape is set above
    env.globals |= {
        "icon": icon,
        "asset": asset,
        "page_url": page_url,
        "static_url": static_url,
    }
    env.globals |= {"import_map": import_map, "module": module, "script": script}
    env.globals |= {"style": style, "request_id": request_id}
    env.globals |= {"service": SERVICE, "service_at_start": SERVICE_AT_START}
    env.filters["date"] = date_as
    env.filters["undo"] = undo_of
    env.filters["browser"] = browser_in_words
    return env


def compile_templates() -> None:
    """Compile all templates of pages and mails into the cache of the environment."""
    env: Environment = engines["jinja2"].env  # type: ignore[attr-defined]
    for name in env.list_templates(extensions=["html", "txt"]):
        env.get_template(name)


UNDO = "undo "  # begins the tags of a message with an Undo


def undo_tags(url: str, fields: Iterable[tuple[str, str]]) -> str:
    """Return the extra tags of a message whose Undo posts these fields to this URL."""
    return UNDO + urlencode([("url", url), *fields])


def undo_of(tags: str) -> list[tuple[str, str]]:
    """Return the URL ("url") and the fields of such tags; [] for others."""
    return parse_qsl(tags.removeprefix(UNDO)) if tags.startswith(UNDO) else []


@cache
def asset(name: str) -> str:
    return static(name)


@cache
def icon(name: str) -> str:
    """An icon of static/icons.svg; site.css has its size and strokes. Decoration only: the words
    beside it carry the meaning. Raises KeyError for a name that the file lacks.
    """
    if name not in _icon_names():
        raise KeyError(f"static/icons.svg has no icon {name!r}: python -m tests.icons {name}")
    drawn = '<svg class="i" aria-hidden="true"><use href="{}#{}"/></svg>'
    return _element(drawn, asset("icons.svg"), name)


@cache
def _icon_names() -> frozenset[str]:
    text = Path(str(finders.find("icons.svg"))).read_text(encoding="utf-8")
    return frozenset(re.findall('<symbol id="([^"]+)"', text))


def page_url(name: str, *args: int | str) -> str:
    pattern = _pattern(name, len(args))
    return pattern % tuple([quote(arg) if isinstance(arg, str) else arg for arg in args])


@lru_cache(maxsize=500)
def _pattern(name: str, count: int) -> str:
    """An address with %s in place of its arguments: `reverse` is asked once for each page of ours,
    as a list has a hundred addresses. The path that the site is served under is one of the process
    (FORCE_SCRIPT_NAME).
    """
    marks = [f"98765432{number}" for number in range(count)]
    url = reverse(name, args=marks).replace("%", "%%")
    for mark in marks:
        url = url.replace(mark, "%s")
    return url


@cache
def script(name: str) -> str:
    """Return the element of a script that is not a module."""
    return _element('<script src="{}" defer></script>', asset(name))


@cache
def modules() -> dict[str, Path]:
    """Return the JavaScript modules of static/js/ by their import names."""
    root = Path(str(finders.find("js")))
    paths = sorted(root.rglob("*.js"))
    return {path.relative_to(root).with_suffix("").as_posix(): path for path in paths}


@cache
def import_map() -> str:
    """Return the import map as JSON. The policy for contents names the hash of this text, as it
    stands in the page itself.
    """
    addresses = {name: asset(f"js/{name}.js") for name in modules()}
    return htmlsafe_json_dumps({"imports": addresses}, separators=(",", ":"))


def import_map_hash() -> str:
    digest = hashlib.sha256(import_map().encode()).digest()
    return f"'sha256-{b64encode(digest).decode()}'"


@cache
def module(name: str) -> str:
    """Return the elements that load a module and all its imports at once: a browser would find the
    imports of one only when it has come. Every page loads "site" first.
    """
    there = set() if name == "site" else _with_imports("site")
    ahead = sorted(_with_imports(name) - there - {name})
    links = '<link rel="modulepreload" href="{}">\n' * len(ahead)
    loads = '<script type="module" src="{}" data-module="{}"></script>'
    addresses = [asset(f"js/{each}.js") for each in (*ahead, name)]
    return _element(links + loads, *addresses, name)


_IMPORTED = re.compile(r'^(?:import|(?:import|}).* from) "(.+)";', re.MULTILINE)


def _with_imports(name: str) -> set[str]:
    found, ahead = set(), [name]
    while ahead:
        each = ahead.pop()
        if each not in found:
            found.add(each)
            ahead += _IMPORTED.findall(modules()[each].read_text(encoding="utf-8"))
    return found


@cache
def style(name: str) -> str:
    return _element('<link rel="stylesheet" href="{}">', asset(name))


def _element(drawn: str, *values: str) -> Markup:
    """Return an element of this module with escaped values, as safe markup."""
    return Markup(drawn).format(*values)  # noqa: S704  # nosec B704 # no other text is drawn


def static_url() -> str:
    """Return the URL of static files without a lookup, for the page of a server error."""
    return str(settings.STATIC_URL)


def date_as(value: date, pattern: str) -> str:
    """Return a date or time in Django's date format; an aware time in the current time zone."""
    if isinstance(value, datetime) and timezone.is_aware(value):
        value = timezone.localtime(value)
    return formatted(value, pattern)


BROWSERS = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "Firefox/": "Firefox",
    "FxiOS/": "Firefox",
    "Chrome/": "Chrome",
    "CriOS/": "Chrome",
    "Safari/": "Safari",
}
"""What names a browser in the header; several name themselves Chrome or Safari as well."""
SYSTEMS = {
    "Windows": "Windows",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Android": "Android",
    "CrOS": "ChromeOS",
    "Macintosh": "Mac",
    "Linux": "Linux",
}


def browser_in_words(user_agent: str) -> str:
    """Return a text such as "Firefox on Windows"; "Unknown browser" for neither."""
    browser = next((name for mark, name in BROWSERS.items() if mark in user_agent), "")
    system = next((name for mark, name in SYSTEMS.items() if mark in user_agent), "")
    return f"{browser or 'Unknown browser'} on {system}" if system else browser or "Unknown browser"


def address(
    resource: str,
    record_id: int | None = None,
    page: str = "",
    query: dict[str, str] | None = None,
) -> str:
    """The address of a page of a resource: /contacts/, /contacts/17/, /contacts/17/edit/.

    resource: the name of its endpoint. page: its name in `urls_for`; "" for the list or the record.
    Raises NoReverseMatch where the resource has no such page.
    """
    args = () if record_id is None else (record_id,)
    url = page_url(f"{resource}:{page or ('detail' if args else 'list')}", *args)
    return f"{url}?{urlencode(query)}" if query else url


def absolute_url(url: str) -> str:
    """The URL of a page of this site, below SITE_URL if that is set."""
    site, parts = urlsplit(settings.SITE_URL), urlsplit(url)
    if not site.netloc:
        return url
    return parts._replace(scheme=site.scheme, netloc=site.netloc).geturl()


EXACT_WIDGETS = (forms.HiddenInput, forms.PasswordInput)
CHECKS = (forms.CheckboxInput, forms.RadioSelect, forms.CheckboxSelectMultiple)

# Control characters, other line breaks, and what changes the direction of the text after it.
_NOT_ON_A_LINE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def validate_one_line(text: str) -> None:
    """Raise ValidationError for a text that would change what stands around it in a mail or log."""
    if _NOT_ON_A_LINE.search(text):
        raise forms.ValidationError("Use one line without control characters.", code="not_a_line")


class DrawnField(BoundField):
    """A bound field that knows which markup it needs. A form names the field that has the focus
    until it is submitted in `focused_field`.
    """

    @property
    def data(self) -> Any:
        """The input without marks that nobody sees; choices, hidden texts and passwords, and a text
        with which a record's form was opened, are as they came.
        """
        field, typed = self.field, super().data
        is_exact = isinstance(field, forms.ChoiceField) or isinstance(field.widget, EXACT_WIDGETS)
        if not typed or is_exact:
            return typed
        return clean_input(typed, getattr(field, "opened", None))

    def build_widget_attrs(
        self, attrs: dict[str, Any], widget: forms.Widget | None = None
    ) -> dict[str, Any]:
        widget = widget or self.field.widget
        attrs = super().build_widget_attrs(attrs, widget)
        if widget.is_hidden:
            return attrs
        if getattr(self.form, "focused_field", "") == self.name and not self.form.is_bound:
            attrs["autofocus"] = True
        # The browser's own bubbles say less than our summary, in another voice, one at a time.
        if attrs.pop("required", None) and not isinstance(widget, CHECKS):
            attrs["aria-required"] = "true"
        if widget.attrs.get("placeholder") == self.label:
            attrs["placeholder"] = False  # says nothing that the label has not said
        given = str(attrs.get("class") or widget.attrs.get("class", ""))
        classes = f"{control_class(widget)} {given}".strip()
        return attrs | ({"class": classes} if classes else {})

    @property
    def kind(self) -> str:
        """What to draw: "choices" (radios, boxes), "group" (of controls), "check" or "control"."""
        if self.use_fieldset:
            return "choices" if isinstance(self.field.widget, ChoiceWidget) else "group"
        return "check" if isinstance(self.field.widget, forms.CheckboxInput) else "control"

    @property
    def mark(self) -> str:
        """What stands beside the label of an empty field: "optional" where fewer fields of the
        form are optional than required, else "required"; "" for the others and for boxes.
        """
        marks_required = _marks_required(self.form)
        is_other = self.field.required != marks_required or not _is_filled_in(self.field)
        if is_other or self.value() not in (None, "", []):  # 0 is a value
            return ""
        return "required" if marks_required else "optional"

    @property
    def anchor(self) -> str:
        return self.id_for_label or f"{self.auto_id}_0"


def control_class(widget: forms.Widget) -> str:
    return "" if isinstance(widget, CHECKS) else "input"


def _marks_required(form: Any) -> bool:
    """Whether at most half of the fields of a form are required; worked out once."""
    if not hasattr(form, "marks_required"):
        fields = [field for field in form.fields.values() if _is_filled_in(field)]
        form.marks_required = 2 * sum(field.required for field in fields) <= len(fields)
    return bool(form.marks_required)


def _is_filled_in(field: forms.Field) -> bool:
    return not (field.widget.is_hidden or isinstance(field.widget, forms.CheckboxInput))


WidgetContext = Mapping[str, Any]
_SPECIAL = re.compile("[&<>\"']")


def escaped(value: object) -> str:
    """Escape a text for HTML, unless it is safe; most texts have nothing to escape."""
    return value if type(value) is str and not _SPECIAL.search(value) else escape(value)


def _input(widget: WidgetContext) -> str:
    value = widget["value"]
    written = "" if value is None else f' value="{escaped(value)}"'
    start = f'<input type="{widget["type"]}" name="{escaped(widget["name"])}"'
    return f"{start}{written}{_attributes(widget)}>"


def _textarea(widget: WidgetContext) -> str:
    start = f'<textarea name="{escaped(widget["name"])}"{_attributes(widget)}>'
    return f"{start}\n{escaped(widget['value'] or '')}</textarea>"


def _select(widget: WidgetContext) -> str:
    groups = [
        f'<optgroup label="{escaped(title)}">{_options(options)}</optgroup>'
        if title
        else _options(options)
        for title, options, _ in widget["optgroups"]
    ]
    start = f'<select name="{escaped(widget["name"])}"{_attributes(widget)}>'
    return f"{start}{''.join(groups)}</select>"


def _options(options: list[WidgetContext]) -> str:
    return "".join(
        [
            f'<option value="{escaped(each["value"])}"{_attributes(each)}>'
            f"{escaped(each['label'])}</option>"
            for each in options
        ]
    )


def _attributes(widget: WidgetContext) -> str:
    return "".join(
        [
            f" {name}" if value is True else f' {name}="{escaped(value)}"'
            for name, value in widget["attrs"].items()
            if value is not False
        ]
    )


# What the templates of the same names in django/forms/widgets/ draw, at a fifth of the function
# calls: a form has up to a hundred controls.
INPUTS = ("checkbox", "checkbox_option", "date", "email", "hidden", "number", "password",
          "radio_option", "text", "url")  # fmt: skip
CONTROLS: Mapping[str, Callable[[WidgetContext], str]] = {
    **{f"django/forms/widgets/{name}.html": _input for name in INPUTS},
    "django/forms/widgets/textarea.html": _textarea,
    "django/forms/widgets/select.html": _select,
}


class Renderer(TemplatesSetting):
    """Django's renderer with our templates of forms and fields, and functions for controls."""

    form_template_name = "schema/form.html"
    field_template_name = "schema/field.html"
    bound_field_class = DrawnField

    def render(
        self, template_name: str, context: dict[str, Any], request: HttpRequest | None = None
    ) -> str:
        if control := CONTROLS.get(template_name):
            return control(context["widget"])
        return super().render(template_name, context, request)
