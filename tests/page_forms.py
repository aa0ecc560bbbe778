"""The forms of a page with what a browser would send for them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import urljoin
from xml.etree.ElementTree import Element

from tests import markup


@dataclass(frozen=True)
class PageForm:
    """A form: `fields` holds (name, value) of each control that is sent, `buttons` those of its
    buttons, and `names` the name of every control.
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


def page_forms(html: str, url: str) -> Iterator[PageForm]:
    """Each form of a page that is sent, with the controls that name it by `form=`."""
    tree = markup.tree(html)
    for form in tree.iter("form"):
        if form.get("method") == "dialog":
            continue
        found = PageForm(form.get("method", "get").lower(), _address(form, url))
        inside = [one for one in form.iter() if one.get("form") is None]
        named = [
            one for one in tree.iter() if one.get("form") and one.get("form") == form.get("id")
        ]
        for control in (*inside, *named):
            _add(found, control)
        yield found


def _address(form: Element, url: str) -> str:
    return urljoin(url, form.get("action") or "").partition("#")[0]


def _add(form: PageForm, control: Element) -> None:
    name, kind = control.get("name"), control.get("type", "")
    if not name:
        return
    if control.tag == "button":
        form.buttons.append((name, control.get("value", "")))
        return
    form.names.append(name)
    if control.tag == "textarea":
        form.fields.append((name, "".join(control.itertext())))
    elif control.tag == "select":
        form.fields.extend((name, value) for value in _chosen(control))
    elif kind == "file":
        form.files.append(name)
    elif control.tag == "input" and (
        kind not in ("checkbox", "radio") or control.get("checked") is not None
    ):
        form.fields.append((name, control.get("value", "on" if kind == "checkbox" else "")))


def _chosen(select: Element) -> list[str]:
    options = list(select.iter("option"))
    chosen = [one for one in options if one.get("selected") is not None]
    if select.get("multiple") is None:
        chosen = chosen[-1:] or options[:1]
    return [one.get("value", "".join(one.itertext())) for one in chosen]
