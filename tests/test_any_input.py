"""No address and no form of any page is answered with an error page of ours, whatever is sent.

Every address is opened with odd parameters and numbers. Every form is found on its page, and sent
with odd text in all its fields: with two texts, ODD_TEXTS=all with each. Besides, forms are sent as
shown, but for some fields: replaced by hostile text, left out, repeated, numbered beyond, or packed
in another way. FUZZ_POSTS=7000 sends so many of these; FUZZ_SEED chooses others.
"""

import os
import re
from collections.abc import Callable
from random import Random
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from dashboard.schema.registry import RESOURCES
from tests.conftest import PASSWORD
from tests.every_page import Forms, every_path
from tests.hostile import STRINGS
from tests.page_forms import PageForm
from tests.test_access import ADDRESSES, SAMPLES
from tests.test_hostile_strings import check

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
    *(each.name for each in RESOURCES.values()),
)  # fmt: skip
HIDDEN = {"csrfmiddlewaretoken", "token", "draft", "snapshot"}  # odd in the last turn only
POSTS = int(os.environ.get("FUZZ_POSTS", "150"))
SEED = int(os.environ.get("FUZZ_SEED", "1"))
NUMBERS = {"beyond": str(2**63), "longer": "9" * 23, "5,000 digits": "9" * 5000}
VALUES = (*STRINGS, *(one for one in ODD if one.isprintable()), "", "0", "-1", "on", "1;2", "[]")
URLENCODED = "application/x-www-form-urlencoded"
Data = dict[str, list[Any]]


def replaced(data: Data, random: Random) -> Data:
    """Hostile text in one field to all."""
    names = random.sample(sorted(data), random.randint(1, len(data)))
    return {**data, **{name: [random.choice(VALUES)] for name in names}}


def left_out(data: Data, random: Random) -> Data:
    return {name: values for name, values in data.items() if random.random() < 0.7}


def repeated(data: Data, random: Random) -> Data:
    return {name: [*values, random.choice(VALUES)] * 2 for name, values in data.items()}


def renamed(data: Data, random: Random) -> Data:
    """Names of rows that the page does not have."""
    ends = ("-0-price", "-99999999999-price", "-TOTAL_FORMS", "-name", "-number", "[]", ".0", "\r")
    return data | {f"{name}{random.choice(ends)}": ["1"] for name in data}


def uploaded(data: Data, random: Random) -> Data:
    """Files where texts belong."""
    content = random.choice(STRINGS).encode(errors="replace")
    file = SimpleUploadedFile("../<zz-hit>.csv", content)
    return {**data, random.choice(sorted(data)): [file]}


CHANGES: tuple[Callable[[Data, Random], Data], ...] = (
    replaced, replaced, replaced, left_out, repeated, renamed, uploaded,
)  # fmt: skip


@pytest.fixture
def client(seeing_errors: Client) -> Client:
    """An administrator who has just given the password."""
    seeing_errors.post("/accounts/reauthenticate/", {"password": PASSWORD})
    return seeing_errors


class Sender:
    """Sends requests, and notes those that were answered with an error page of ours."""

    def __init__(self, client: Client) -> None:
        self.client, self.random = client, Random(SEED)
        self.sent, self.taken = 0, 0
        self.wrong: list[str] = []

    def send_odd(self, method: str, url: str, names: list[str], turn: int, **more: str) -> None:
        """Odd text for each name, another one in each turn."""
        odd = {name: ODD[(place + turn) % len(ODD)] for place, name in enumerate(names)}
        body = urlencode(odd | more, errors="surrogatepass")
        if method == "get":
            self.note(self.client.get(f"{url.partition('?')[0]}?{body}"), url)
        else:
            self.note(self.client.post(url, body, content_type=URLENCODED), f"{url} {body[:200]}")

    def send_odd_form(self, form: PageForm) -> None:
        """With each button in some turn, and in another turn with odd text as its value. What is
        hidden is odd in the last turn only.
        """
        names = list(dict.fromkeys(form.names))
        buttons = list(dict.fromkeys([*form.buttons, *((name, "") for name, _ in form.buttons)]))
        for turn in range(max(TURNS, len(buttons))):
            name, value = buttons[turn % len(buttons)] if buttons else ("", "")
            given = [each for each in names if turn == TURNS - 1 or each not in HIDDEN]
            self.send_odd(form.method, form.action, given, turn, **{name: value or ODD[turn % 2]})

    def send_changed(self, form: PageForm) -> None:
        change = self.random.choice(CHANGES)
        buttons = [dict([one]) for one in form.buttons] or [{}]
        button = {name: [value] for name, value in self.random.choice(buttons).items()}
        data: Data = {**form.data(), **{name: [""] for name in form.files}, **button}
        data = change(data, self.random) if data else {"<zz-hit>": ["1"]}
        body, kind = self._packed(data)
        answer = self.client.generic("POST", form.action, body, content_type=kind)
        self.note(answer, f"{change.__name__} {form.action} {str(data)[:600]}")

    def note(self, answer: Any, about: str) -> None:
        self.sent += 1
        self.taken += answer.status_code < 400
        try:
            check(answer)
        except AssertionError as error:
            self.wrong.append(f"{about}: {error}")

    def _packed(self, data: Data) -> tuple[Any, str]:
        """The body and its type; one in ten is broken off, or no form at all."""
        whole: bytes = encode_multipart(BOUNDARY, data)
        chance = self.random.random()
        if chance < 0.05:
            return whole[: self.random.randint(0, len(whole))], MULTIPART_CONTENT
        if chance < 0.08:
            return whole, self.random.choice(("application/json", "text/plain", URLENCODED))
        if chance < 0.1:
            return (
                whole,
                f"{MULTIPART_CONTENT}; charset={self.random.choice(('utf-7', 'x', 'cp1'))}",
            )
        return whole, MULTIPART_CONTENT


def test_no_odd_parameter_and_no_changed_form_is_answered_with_an_error(client, administrator):
    sender, found, posts = Sender(client), Forms(client), []
    for path in every_path(administrator).values():
        for turn in range(TURNS):
            sender.send_odd("get", path, list(PARAMS), turn)
        for form in found.of(path):
            sender.send_odd_form(form)
            posts += [form] * (form.method == "post")
    assert len(posts) > 60
    sender.taken = sender.sent = 0
    for number in range(POSTS):
        sender.send_changed(posts[number % len(posts)])
    assert sender.wrong == []
    assert sender.taken > sender.sent / 10


@pytest.mark.parametrize("number", NUMBERS.values(), ids=NUMBERS)
def test_no_number_in_a_path_causes_an_error(client, number):
    ends = ("account_logout", "account_change_password")  # end the session, replace the password
    known = {path for name, path in ADDRESSES.items() if name not in ends}
    paths = {re.sub(rf"/{SAMPLES['pk']}/", f"/{number}/", path) for path in known} - known
    assert f"/contacts/{number}/" in paths
    answers = [getattr(client, method)(path) for path in paths for method in ("get", "post")]
    assert not [one.request["PATH_INFO"] for one in answers if one.status_code == 500]


@pytest.mark.parametrize(
    "path", ["/history/?who=%00", "/contacts/?a%00=1", "/contacts/%00/", "/unsure/form/%00/"]
)
def test_an_address_with_a_nul_character_gets_the_400_page(client, path):
    response = client.get(path)
    assert response.status_code == 400
    assert "Entry Desk could not read this" in response.content.decode()


def test_a_cookie_with_a_nul_character_gets_the_400_page():
    client = Client(raise_request_exception=False)
    client.cookies.load('sessionid="a\\000b"')
    assert client.get("/accounts/").status_code == 400
