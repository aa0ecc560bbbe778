"""What tests of pages read from a response."""

import html
import re
from typing import Any

from django.http import HttpResponse
from django.template import engines
from django.test import Client

from dashboard.records.display.values import DisplayValue


def text(response: HttpResponse) -> str:
    """What the page says, without its markup."""
    body = re.sub(r"<[^>]+>", " ", response.content.decode())
    return re.sub(r"\s+", " ", html.unescape(body))


def ask_to_delete(client: Client, address: str) -> str:
    """Confirm that a record is to be deleted; the address of the deletion, which is held back."""
    token = client.get(f"{address}delete/").context["token"]
    return client.post(f"{address}delete/", {"token": token})["Location"].partition("?")[0]


def delete_now(client: Client, held: str) -> HttpResponse:
    """Press "Delete now" on the page of a held deletion; the page that follows in the end."""
    token = client.get(held).context["token"]
    return client.post(held, {"token": token, "now": "1"}, follow=True)


def fields(response: HttpResponse) -> dict[str, Any]:
    """What a browser would send if the page's record form were submitted as it is."""
    form = response.context["form"]
    hidden = ("snapshot", "token", "draft")
    data: dict[str, Any] = {name: response.context.get(name, "") for name in hidden}
    for bound in form:
        value = bound.value()
        if isinstance(value, dict):
            data[f"{bound.html_name}-name"] = list(value)
            data[f"{bound.html_name}-value"] = [str(item) for item in value.values()]
        elif value is not None and value is not False:
            data[bound.html_name] = "on" if value is True else value
    return data


def drawn(value: DisplayValue) -> str:
    """The HTML of a displayed value, as every template draws it."""
    return str(engines["jinja2"].env.get_template("records/_values.html").module.show(value))
