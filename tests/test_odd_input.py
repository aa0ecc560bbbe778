"""No text in any parameter or form field of any page makes an error page of ours.

Every address is opened with odd parameters, and every form on it is sent with odd text in all of
its fields: twice with other texts, or with ODD_TEXTS=all as many times as there are odd texts,
so that each parameter and field holds each once.
"""

import os
from collections.abc import Iterable, Iterator
from urllib.parse import urlencode

import pytest
from django.test import Client

from dashboard.catalogue.kinds import KIND_SPECS, Kind
from dashboard.gateway import ENDPOINTS
from tests.page_forms import PageForm, page_forms
from tests.test_access import ADDRESSES, SAMPLES

pytestmark = pytest.mark.slow

ODD = (
    "9" * 5000,
    "9" * 23,
    str(2**63),
    "-1",
    "-" + "9" * 5000,
    "٣" * 12,
    "²",
    "1\0",
    "\ud800",
    "\ufffe",
    "1e999999999",
    "Infinity",
)
TURNS = len(ODD) if os.environ.get("ODD_TEXTS") == "all" else 2
# Parameters that views read and that no form has.
PARAMS = (
    "page", "size", "sort", "order", "search", "q", "within", "copy", "again", "draft", "refused",
    "estimate", "deal", "contact", "look", "who", "from", "to", "record_id", "text", "day",
    *(endpoint.name for endpoint in ENDPOINTS),
)  # fmt: skip
HIDDEN = {"csrfmiddlewaretoken", "token", "draft", "snapshot"}  # odd in the last turn only
LEFT_OUT = "/accounts/"  # allauth's own pages; signing out would end the walk
SLUGS = (KIND_SPECS[Kind.ITEM].slug, KIND_SPECS[Kind.CONTACT_FIELD].slug)


def addresses(ids: dict[str, int]) -> Iterator[str]:
    """Every address of the dashboard, with the ids of records that exist."""
    for path in ADDRESSES.values():
        if path.startswith(LEFT_OUT):
            continue
        area = path.split("/")[1]
        path = path.replace(f"/{SAMPLES['record_id']}/", f"/{ids.get(area, 1)}/", 1)
        slugs = SLUGS if SAMPLES["slug"] in path else (SAMPLES["slug"],)
        yield from (path.replace(SAMPLES["slug"], slug) for slug in slugs)
    yield "/accounts/preferences/"


class Walk:
    """Sends odd text to one client's pages and notes which requests were answered with 500."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.sent = 0
        self.failed: list[str] = []
        self.tried: set[tuple[str, str, tuple[str, ...]]] = set()

    def open(self, url: str) -> None:
        """Open a page, with and without odd parameters, and send its forms."""
        answer = self.client.get(url)
        self._note("get", url, "", answer.status_code)
        for turn in range(TURNS):
            self._send("get", url, _odd(PARAMS, turn))
        if answer.headers.get("Content-Type", "").startswith("text/html"):
            for form in page_forms(answer.content.decode(), url):
                self._send_form(form)

    def _send_form(self, form: PageForm) -> None:
        """Press each button in some turn, and in another turn with odd text as its value.

        A form that another page had as well, such as that of the search on top, is sent once.
        """
        fields = list(dict.fromkeys(form.names))
        if (form.method, form.action, tuple(fields)) in self.tried:
            return
        self.tried.add((form.method, form.action, tuple(fields)))
        unnamed = [(name, "") for name, _ in form.buttons]
        given = list(dict.fromkeys([*form.buttons, *unnamed])) or [("", "")]
        for turn in range(max(TURNS, len(given))):
            last = turn == TURNS - 1
            data = _odd([name for name in fields if last or name not in HIDDEN], turn)
            name, value = given[turn % len(given)]
            sent = {**data, name: value or ODD[turn % 2]}
            self._send(form.method, form.action.partition("?")[0], sent)

    def _send(self, method: str, url: str, data: dict[str, str]) -> None:
        text = urlencode(data, errors="surrogatepass")
        if method == "get":
            answer = self.client.get(f"{url}?{text}")
        else:
            form = "application/x-www-form-urlencoded"
            answer = self.client.post(url, text, content_type=form)
        self._note(method, url, text, answer.status_code)

    def _note(self, method: str, url: str, text: str, status: int) -> None:
        self.sent += 1
        if status == 500:
            self.failed.append(f"{method} {url} {text[:200]}")


def _odd(names: Iterable[str], turn: int) -> dict[str, str]:
    """An odd text for each name, another one in each turn."""
    return {name: ODD[(place + turn) % len(ODD)] for place, name in enumerate(names)}


@pytest.mark.parametrize("area", [*(endpoint.name for endpoint in ENDPOINTS), ""])
def test_odd_text_is_never_answered_with_500(seeing_errors, gateway, area):
    ids = {
        endpoint.name: gateway.list(endpoint, page_size=1).records[0].id for endpoint in ENDPOINTS
    }
    walk = Walk(seeing_errors)
    for url in addresses(ids):
        name = url.split("/")[1]
        if name == area or (not area and name not in ids):
            walk.open(url)
    assert walk.failed == []
    assert walk.sent > 50
