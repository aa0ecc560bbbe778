"""Two requests at the same file: one job, whatever is pressed twice."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Barrier
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client

from dashboard.imports import views
from dashboard.imports.models import Import
from dashboard.jobs.models import Job
from tests.conftest import person
from tests.faults.environment import environment
from tests.imports.test_import import upload
from tests.jobs.conftest import work
from tests.page_forms import fields
from tests.tables.files import xlsx

pytestmark = pytest.mark.slow

TEXT = "Name,Email\nQuentin Quick,quentin@quick.example\n"


def meanwhile(monkeypatch: pytest.MonkeyPatch, act: Any) -> None:
    """Let another request be answered after the next one has loaded its row."""
    find_own, acts = views._own, [act]

    def before_the_other(*args: Any) -> Any:
        row = find_own(*args)
        if acts:
            acts.pop()()
        return row

    monkeypatch.setattr(views, "_own", before_the_other)


@pytest.mark.parametrize("second", ["send", "check"])
def test_a_request_that_loaded_the_file_before_it_was_sent_sends_nothing(desk, monkeypatch, second):
    url = upload(desk, TEXT)
    page = fields(desk.get(url))
    first = []
    meanwhile(monkeypatch, lambda: first.append(desk.post(url, {**page, "do": "send"})))
    answer = desk.post(url, {**page, "do": second}, follow=True)
    job = Job.objects.get()
    assert answer.redirect_chain[-1][0] == first[0]["Location"] == f"/jobs/{job.pk}/"
    assert Import.objects.get().job == job


@pytest.mark.parametrize("second", ["send", "check"])
def test_a_file_that_is_discarded_meanwhile_is_not_sent(desk, monkeypatch, second):
    url = upload(desk, TEXT)
    page = fields(desk.get(url))
    meanwhile(monkeypatch, lambda: desk.post(f"{url}discard/"))
    answer = desk.post(url, {**page, "do": second})
    assert answer.status_code == 302
    assert not Job.objects.exists()
    assert not Import.objects.filter(discarded_at=None).exists()


def test_a_file_that_is_sent_meanwhile_is_not_discarded(desk, monkeypatch):
    url = upload(desk, TEXT)
    page = fields(desk.get(url))
    own = views._own

    def after_the_other(request: Any, pk: int) -> Any:
        found = own(request, pk)
        monkeypatch.setattr(views, "_own", own)
        desk.post(url, {**page, "do": "send"})
        return found

    monkeypatch.setattr(views, "_own", after_the_other)
    desk.post(f"{url}discard/")
    assert Import.objects.get().job == Job.objects.get()


@pytest.fixture
def own_client(request: Any, tmp_path: Any, transactional_db: None) -> Iterator[Client]:
    """A signed-in client on a database that threads share: PostgreSQL, or an SQLite file."""
    with ExitStack() as stack:
        if connection.vendor == "postgresql":
            user = request.getfixturevalue("with_keys")(person("max", "Manager"))
        else:
            user = stack.enter_context(environment(tmp_path)).user("max").account
        client = Client()
        client.force_login(user)
        yield client


def at_once(client: Client, url: str, data: dict[str, Any], number: int = 2) -> list[Any]:
    """The answers to the same form posted by so many threads at the same moment."""
    start = Barrier(number)

    def post(_: int) -> Any:
        own = Client()
        own.cookies = client.cookies
        start.wait()
        try:
            return own.post(url, data)
        finally:
            connection.close()

    with ThreadPoolExecutor(number) as pool:
        return list(pool.map(post, range(number)))


def test_a_workbook_that_two_threads_send_at_once_is_sent_once(own_client):
    for round_ in range(3):
        people = [["Name", "Email"], [f"Zed {round_}", f"zed{round_}@zed.example"]]
        file = SimpleUploadedFile(f"{round_}.xlsx", xlsx({"One": people}))
        url = own_client.post("/leads/import/", {"file": file})["Location"]
        work()
        data = {**fields(own_client.get(url)), "do": "send"}
        answers = at_once(own_client, url, data)
        ends = {own_client.get(a["Location"], follow=True).request["PATH_INFO"] for a in answers}
        assert ends == {f"/jobs/{Job.objects.last().pk}/"}
    assert Job.objects.count() == 3


def test_a_form_that_brings_a_file_twice_at_once_brings_it_once(own_client):
    page = own_client.get("/leads/import/").content.decode()
    token = re.search(r'name="token" value="([^"]+)"', page)
    typed = {"text": TEXT, "token": token[1]}
    answers = at_once(own_client, "/leads/import/", typed)
    assert len({answer["Location"] for answer in answers}) == 1
    own_client.post("/leads/import/", {**typed, "text": f"{TEXT}Zoe,\n"})
    assert Import.objects.count() == 2
