"""No form of any page is answered with an error page of ours, whatever is sent in its place.

Every form is found on its page and sent as shown, but for some fields: replaced by hostile text,
left out, repeated, numbered beyond, or packed in another way. FUZZ_POSTS=7000 sends so many posts;
.ci/run sends fewer. FUZZ_SEED chooses others.
"""

import os
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from dashboard import resources
from dashboard.accounts.models import User
from tests.conftest import PASSWORD
from tests.hostile import STRINGS
from tests.page_forms import PageForm, page_forms
from tests.test_hostile_strings import check
from tests.test_odd_input import ODD
from tests.test_workspaces_apart import kept_for, paths

pytestmark = pytest.mark.slow

POSTS = int(os.environ.get("FUZZ_POSTS", "150"))
SEED = int(os.environ.get("FUZZ_SEED", "1"))
VALUES = (*STRINGS, *(one for one in ODD if one.isprintable()), "", "0", "-1", "on", "1;2", "[]")
ENDS = ("/accounts/logout", "/accounts/sessions", "/accounts/password/change", "/settings/keys/",
        "/setup/end", "/accounts/two-step", "/staff/")  # fmt: skip
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


class Sender:
    """Sends changed forms, and notes those that were answered with an error page of ours."""

    def __init__(self, client: Client, random: Random) -> None:
        self.client, self.random = client, random
        self.sent, self.taken = 0, 0
        self.wrong: list[str] = []

    def send(self, form: PageForm) -> None:
        change = self.random.choice(CHANGES)
        buttons = [dict([one]) for one in form.buttons] or [{}]
        button = {name: [value] for name, value in self.random.choice(buttons).items()}
        data: Data = {**form.data(), **{name: [""] for name in form.files}, **button}
        data = change(data, self.random) if data else {"<zz-hit>": ["1"]}
        body, kind = self._packed(data)
        answer = self.client.generic("POST", form.action, body, content_type=kind)
        self.sent += 1
        self.taken += answer.status_code < 400
        try:
            check(answer)
        except AssertionError as error:
            self.wrong.append(f"{change.__name__} {form.action} {str(data)[:600]}: {error}")

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


@pytest.fixture
def sender(seeing_errors: Client) -> Sender:
    seeing_errors.post("/accounts/reauthenticate/", {"password": PASSWORD})
    return Sender(seeing_errors, Random(SEED))


@pytest.fixture
def forms(sender: Sender, administrator: User, gateway: Any) -> list[PageForm]:
    """Every form of every page, with rows of every table behind them."""
    records = {
        each.name: gateway.list(each.endpoint, page_size=1).records[0].id for each in resources.ALL
    }
    samples = {name: {"record_id": number} for name, number in records.items()}
    found = paths(samples | kept_for(administrator, "Acme", records))
    return list(distinct(form for path in found.values() for form in forms_of(sender, path)))


def forms_of(sender: Sender, path: str) -> Iterator[PageForm]:
    answer = sender.client.get(path)
    if not answer.streaming and answer.headers.get("Content-Type", "").startswith("text/html"):
        yield from page_forms(answer.content.decode(), path)


def distinct(forms: Iterator[PageForm]) -> Iterator[PageForm]:
    known = set()
    for form in forms:
        key = (form.action, tuple(form.data()))
        if form.method == "post" and key not in known and not form.action.startswith(ENDS):
            known.add(key)
            yield form


def test_no_changed_form_is_answered_with_an_error(sender, forms):
    assert len(forms) > 60
    for number in range(POSTS):
        sender.send(forms[number % len(forms)])
    assert sender.wrong == []
    assert sender.taken > sender.sent / 10
    print(f"{sender.sent} posts to {len(forms)} forms, {sender.taken} taken")
