"""The forms of all resources are restored from a draft exactly as typed."""

import pytest

from dashboard.gateway import CONTACTS, DEALS, ENDPOINTS, ESTIMATES, INVOICES
from dashboard.writes.models import Draft
from tests import markup
from tests.page_forms import fields

pytestmark = pytest.mark.slow

# "pasted" is the text area for pasting cells into lines; it is no field of the record.
ONCE = {"csrfmiddlewaretoken", "token", "draft", "snapshot", "pasted"}
TEXTS = {"text", "email", "tel", "url", "search"}


def typed_into(response) -> dict:
    """What a browser sends, with invalid text in every empty text field."""
    boxes = texts(response)
    return {
        name: [each or f"{name} {number} “ä”" for number, each in enumerate(values)]
        if name in boxes
        else values
        for name, values in listed(fields(response)).items()
    }


def listed(data: dict) -> dict:
    return {name: one if isinstance(one, list) else [one] for name, one in data.items()}


def texts(response) -> set[str]:
    """The names of the fields that a person types in, without the hidden ids of pickers."""
    tree = markup.tree(response.content.decode())
    inputs = [one for one in tree.iter("input") if one.get("type", "text") in TEXTS]
    return {one.get("name", "") for one in [*inputs, *tree.iter("textarea")]}


def filled(data: dict) -> dict:
    """The non-empty values; an empty field, as in a blank row, carries none. A new row is one of
    the others once it is shown again.
    """
    said: dict[str, list[str]] = {}
    for name, values in listed(data).items():
        said.setdefault(name.replace("-new-", "-"), []).extend(value for value in values if value)
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
    whole = desk.post(url, fields(desk.get(url), draw="all"))
    typed = typed_into(whole)
    assert desk.post("/unfinished/keep/", typed).status_code == 200
    again = desk.get(f"{url}?draft={Draft.objects.get().pk}")
    assert again.status_code == 200
    assert filled(fields(again)) == filled(typed)
    assert not again.context["form"].errors
