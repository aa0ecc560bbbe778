"""The forms of a page with what a browser would send for them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urljoin

MARKS = {"data-document", "data-save-form"}  # of the form that a page is about
CONTROLS = ("input", "select", "textarea", "button")
BUTTONS = ("submit", "button", "reset", "image")


@dataclass(frozen=True)
class PageForm:
    """A form: `fields` holds (name, value) of each control that is sent, `buttons` those of its
    submit buttons, and `names` the name of every control.
    """

    method: str
    action: str
    fields: list[tuple[str, str]] = field(default_factory=list)
    buttons: list[tuple[str, str]] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    def data(self) -> dict[str, list[str]]:
        """What is sent without a button."""
        found: dict[str, list[str]] = {}
        for name, value in self.fields:
            found.setdefault(name, []).append(value)
        return found


def fields(page: Any, **typed: Any) -> dict[str, Any]:
    """What is sent for the form that a page (a response or its text) is about, with some typed
    over: a list for a name that stands more than once. What is typed for a line may be called
    `line_0_price`; None takes a field away.
    """
    reader = _Reader()
    reader.feed(page if isinstance(page, str) else page.content.decode())
    form = next((form for form in reader.forms if MARKS.intersection(form)), None)
    assert form is not None, "no form to be filled in"
    data = _built(form, reader.controls, "").data()
    sent: dict[str, Any] = {name: of if len(of) > 1 else of[0] for name, of in data.items()}
    for name, value in typed.items():
        place = name.replace("line_", "line-", 1).replace("_", "-", 1)
        sent[place if name.startswith("line_") else name] = value
    return {name: value for name, value in sent.items() if value is not None}


def page_forms(html: str, url: str) -> Iterator[PageForm]:
    """Each form of a page that is sent, with the controls that name it by `form=`."""
    reader = _Reader()
    reader.feed(html)
    for form in reader.forms:
        if form.get("method") != "dialog":
            yield _built(form, reader.controls, url)


@dataclass
class _Control:
    tag: str
    attrs: dict[str, str]
    form: dict[str, str] | None
    text: str = ""
    options: list[dict[str, str]] = field(default_factory=list)


class _Reader(HTMLParser):
    """Reads forms and controls without building a tree, which is several times as fast."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: list[dict[str, str]] = []
        self.controls: list[_Control] = []
        self.form: dict[str, str] | None = None
        self.area: _Control | None = None
        self.templates = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        of = {name: value or "" for name, value in attrs}
        self.templates += tag == "template"
        if self.templates:
            return
        if tag == "form":
            self.form = of
            self.forms.append(of)
        elif tag == "option" and self.controls:
            self.controls[-1].options.append(of)
        elif tag in CONTROLS:
            self.controls.append(_Control(tag, of, self.form))
            self.area = self.controls[-1] if tag == "textarea" else None

    def handle_data(self, data: str) -> None:
        if self.area is not None:
            self.area.text += data

    def handle_endtag(self, tag: str) -> None:
        self.templates -= tag == "template"
        self.form = None if tag == "form" else self.form
        self.area = None if tag == "textarea" else self.area


def _built(form: dict[str, str], controls: list[_Control], url: str) -> PageForm:
    action = urljoin(url, form.get("action", "")).partition("#")[0]
    built = PageForm(form.get("method", "get").lower(), action)
    for control in controls:
        named = control.attrs.get("form")
        if control.attrs.get("name") and (
            control.form is form if named is None else named == form.get("id")
        ):
            _add(built, control)
    return built


def _add(form: PageForm, control: _Control) -> None:
    of = control.attrs
    name, kind = of["name"], of.get("type", "")
    if control.tag == "button" or kind in BUTTONS:
        if kind not in ("button", "reset"):
            form.buttons.append((name, of.get("value", "")))
        return
    form.names.append(name)
    if kind == "file":
        form.files.append(name)
    elif "disabled" not in of:
        form.fields.extend((name, value) for value in _values(control, kind))


def _values(control: _Control, kind: str) -> list[str]:
    of = control.attrs
    if control.tag == "textarea":
        return [control.text.replace("\r\n", "\n").removeprefix("\n")]
    if control.tag == "select":
        chosen = [one for one in control.options if "selected" in one]
        if "multiple" not in of:
            chosen = chosen[-1:] or control.options[:1]
        return [one.get("value", "") for one in chosen]
    is_box = kind in ("checkbox", "radio")
    return [of.get("value", "on" if is_box else "")] if not is_box or "checked" in of else []
