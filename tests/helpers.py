"""What tests of pages read from a response."""

import html
import re
from typing import Any

from django.http import HttpResponse


def text(response: HttpResponse) -> str:
    """What the page says, without its markup."""
    body = re.sub(r"<[^>]+>", " ", response.content.decode())
    return re.sub(r"\s+", " ", html.unescape(body))


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
