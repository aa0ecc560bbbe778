"""The forms of all resources are restored from a draft exactly as typed."""

import pytest
from django.http import QueryDict

from dashboard.drafts.models import Draft
from dashboard.gateway import CONTACTS, DEALS, ENDPOINTS, ESTIMATES, INVOICES
from tests import markup

pytestmark = pytest.mark.slow

# "pasted" is the text area for pasting cells into lines; it is no field of the record.
ONCE = {"csrfmiddlewaretoken", "token", "draft", "snapshot", "pasted"}
TEXTS = {"text", "email", "tel", "url", "search"}
FORM = "application/x-www-form-urlencoded"


def posted(response) -> QueryDict:
    """The data that a browser would post from the page's record form."""
    tree = markup.tree(response.content.decode())
    form = next(one for one in tree.iter("form") if "data-save-form" in one.attrib)
    within_templates = {part for template in form.iter("template") for part in template.iter()}
    data = QueryDict(mutable=True)
    for control in form.iter():
        name = control.get("name")
        if not name or control in within_templates or "disabled" in control.attrib:
            continue
        if control.tag == "textarea":
            data.appendlist(name, (control.text or "").removeprefix("\n"))
        elif control.tag == "select":
            options = list(control.iter("option"))
            chosen = [one for one in options if "selected" in one.attrib] or options[:1]
            for option in chosen:
                data.appendlist(name, option.get("value", ""))
        elif control.tag == "input" and is_sent(control):
            data.appendlist(name, control.get("value", "on"))
    return data


def is_sent(control) -> bool:
    kind = control.get("type", "text")
    return kind not in ("submit", "button") and (
        kind not in ("checkbox", "radio") or "checked" in control.attrib
    )


def typed_into(response) -> QueryDict:
    """The same data, with invalid text in every empty text field."""
    data = posted(response)
    for name, values in list(data.lists()):
        if name in texts(response):
            data.setlist(name, [v or f"{name} {number} “ä”" for number, v in enumerate(values)])
    return data


def texts(response) -> set[str]:
    """The names of the fields that a person types in, without the hidden ids of pickers."""
    tree = markup.tree(response.content.decode())
    inputs = [one for one in tree.iter("input") if one.get("type", "text") in TEXTS]
    return {one.get("name", "") for one in [*inputs, *tree.iter("textarea")]}


def filled(data: QueryDict) -> dict:
    """The non-empty values; an empty field, as in a blank row, carries none."""
    said = {name: [value for value in values if value] for name, values in data.lists()}
    return {name: values for name, values in said.items() if values and name not in ONCE}


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.name)
def test_a_new_form_is_restored_as_typed(desk, endpoint):
    comes_back(desk, f"/{endpoint.name}/new/")


@pytest.mark.parametrize(
    "endpoint", [CONTACTS, DEALS, ESTIMATES, INVOICES], ids=lambda endpoint: endpoint.name
)
def test_an_edit_form_is_restored_as_typed(desk, gateway, endpoint):
    record = gateway.list(endpoint, page_size=1).records[0]
    comes_back(desk, f"/{endpoint.name}/{record.id}/edit/")


def comes_back(desk, url):
    typed = typed_into(desk.get(url))
    assert desk.post("/unfinished/keep/", typed.urlencode(), FORM).status_code == 200
    again = desk.get(f"{url}?draft={Draft.objects.get().pk}")
    assert again.status_code == 200
    assert filled(posted(again)) == filled(typed)
    assert not again.context["form"].errors
