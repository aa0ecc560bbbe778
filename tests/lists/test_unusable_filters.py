"""A filter value that cannot be used leaves the list empty, is named and stays as typed."""

from html import unescape
from urllib.parse import parse_qsl

import pytest

from dashboard.jobs.models import Job
from dashboard.lists.query import ListQuery
from dashboard.people.context import RequestContext
from dashboard.schema.registry import RESOURCES
from tests.helpers import text

UNUSABLE = {
    "/leads/?lead_status=Foo": "“Foo”",
    "/contacts/?type=9": "Type: “9”",
    "/contacts/?created=you": "“you”",
    "/deals/?pipeline_id=first": "“first”",
    "/invoices/?date=2026-13-01..": "“2026-13-01”",
    "/invoices/?date=between&date_from=31+Nov+2026": "no day 31 in November 2026",
    "/invoices/?least=lots": "“lots”",
    "/invoices/?cstid=&cstid-was=&cstid-text=Nobody+Here": "Customer: “Nobody Here”",
    "/invoices/?inv_status=1&due=unpaid": "Payment: These filters apply only to open invoices",
}


def calls(standin):
    return len(standin.ledger(operation="list"))


@pytest.mark.parametrize(("url", "words"), UNUSABLE.items())
def test_the_list_is_empty_and_says_which_value_it_cannot_use(desk, standin, url, words):
    before = calls(standin)
    page = desk.get(url)
    assert page.status_code == 200
    assert words in text(page)
    listed = page.context["list_page"]
    assert (listed.table.rows, listed.count, listed.pager) == ([], "", [])
    assert calls(standin) == before
    typed = dict(parse_qsl(url.partition("?")[2]))
    assert dict(parse_qsl(listed.query.saved_state())) == typed
    address = f"{url.partition('?')[0]}panel/"
    panel = desk.get(address, {**typed, "panel": "filters"}, headers={"HX-Request": "true"})
    assert all(value.strip(".") in unescape(panel.content.decode()) for value in typed.values())


@pytest.mark.parametrize(("url", "words"), UNUSABLE.items())
def test_nothing_is_done_with_all_that_match_it(desk, standin, url, words):
    path, _, query = url.partition("?")
    before = calls(standin)
    for answer in (
        desk.get(f"{path}export/?{query}"),
        desk.post(f"{path}export/?{query}", {"content": "columns", "form": "csv"}),
    ):
        assert answer.status_code == 302
        assert answer["Location"].startswith(f"{path}?")
    chosen = desk.post(f"/bulk{path}", {"do": "delete", "all": "1", "list": query}, follow=True)
    assert words in text(chosen)
    assert calls(standin) == before
    assert not Job.objects.exists()


def test_a_reference_that_is_only_unnamed_is_used(desk, standin):
    page = desk.get("/deals/?pipeline_id=999999")
    assert "0 deals" in page.context["list_page"].count
    assert "pipeline_id=999999" in str(standin.ledger(operation="list")[-1]["query"])


@pytest.mark.django_db
@pytest.mark.parametrize("resource", RESOURCES.values(), ids=lambda each: each.name)
def test_every_filter_of_a_list_refuses_what_it_cannot_use(gateway, resource):
    ctx = RequestContext(gateway=gateway, workspace="Acme")
    for each in resource.filters:
        query = ListQuery.of(resource, ctx, **{each.name: "no such value"})
        assert query.filters.errors.keys() == {each.name}
        assert any("no such value" in words for words in query.filters.problems)
