"""History is added to with every write, changed by nobody, and shown to whom it concerns."""

import html
import re
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone

from dashboard.gateway import CONTACTS, DEALS, Busy, Rejected
from dashboard.office.editing import save_entries
from dashboard.office.kinds import Kind
from dashboard.outcomes import history as history_pages
from dashboard.reader.failures import describe
from dashboard.schema.custom_fields import CustomFieldsField
from dashboard.schema.inputs import DayField, MomentField
from dashboard.standin.reference_data import reference_data
from dashboard.writes import history, ledger
from dashboard.writes.history_words import EntryNames, lines_in_words
from dashboard.writes.models import Event, Write
from dashboard.writes.outcomes import reason
from dashboard.writes.reconciliation import as_data
from tests.helpers import ask_to_delete, delete_now, text
from tests.page_forms import fields
from tests.workspaces import connect

pytestmark = pytest.mark.django_db


@pytest.fixture
def contact(gateway):
    body = {"cstname": "Zebra", "contact_type": 1, "cstaddress": "Old Street"}
    return gateway.create(CONTACTS, body).id


def edit(desk, contact, **typed):
    url = f"/contacts/{contact}/edit/"
    return desk.post(url, {**fields(desk.get(url)), **typed}, follow=True)


def test_a_change_is_noted_with_what_was_before_and_after(desk, contact, manager):
    edit(desk, contact, cstaddress="New Street")
    entry = Write.objects.get()
    assert (entry.who, entry.workspace, entry.record_id) == (manager.username, "Acme", contact)
    assert (entry.operation, entry.state) == ("update", "saved")
    assert history.details(entry).changes == {"cstaddress": ("Old Street", "New Street")}
    page = text(desk.get(f"/contacts/{contact}/history/"))
    assert not re.search(r"\d\.\d\d s\b", page)
    assert "History of Zebra" in page
    assert "Old Street" in page
    assert "New Street" in page


def test_no_line_can_be_changed_or_deleted(db):
    event = Event(who="vera", operation="export", resource="contacts")
    event.save()
    for attempt in (event.save, event.delete, Event.objects.all().delete):
        with pytest.raises(TypeError):
            attempt()
    with pytest.raises(TypeError):
        Event.objects.update(who="nobody")


def test_the_history_outlives_the_account(desk, contact, standin, client_of, editor, manager):
    edit(desk, contact, cstaddress="New Street")
    standin.fault("reset", operation="update")
    edit(desk, contact, cstaddress="Newer Street")
    manager.delete()
    assert ledger.release_ownerless() == 2
    assert not Write.objects.exclude(content="", answer="").exists()
    assert not Write.objects.filter(~Write.RESOLVED).exists()
    access, secret = standin.keys["acme"][1]
    connect(editor, access=access, secret=secret, workspace="Acme")
    page = text(client_of(editor).get(f"/contacts/{contact}/history/"))
    assert "New Street" in page
    assert manager.username in page


def test_somebody_in_another_workspace_sees_nothing_of_it_whatever_they_call_theirs(
    desk, contact, client_of, administrator, standin
):
    edit(desk, contact, cstaddress="New Street")
    access, secret = standin.keys["globex"][0]
    connect(administrator, access=access, secret=secret, workspace="Globex")
    other = client_of(administrator)
    assert "New Street" not in text(other.get("/history/"))
    connect(administrator, access=access, secret=secret, workspace="Acme")
    page = text(client_of(administrator).get(f"/contacts/{contact}/history/"))
    assert "New Street" not in page
    assert "only activity with your API keys" in page


def test_administrators_see_all_of_their_workspace_narrowed_and_as_csv(
    desk, contact, client_of, with_keys, administrator
):
    edit(desk, contact, cstaddress="=1+1")
    Write.objects.update(sent_at=F("done_at") - timedelta(seconds=2))
    admin = client_of(with_keys(administrator))
    assert "=1+1" in text(admin.get("/history/"))
    today = timezone.localdate()
    for query, is_listed in {
        "who=max": True, "who=nobody": False, "operation=delete": False, "resource=deals": False,
        f"record_id={contact}": True, f"day={today}..{today}": True, "day_to=2020-01-01": False,
        "outcome=saved": True, "day=rubbish": False, "record_id=x": False, "outcome=maybe": False,
    }.items():  # fmt: skip
        assert ("=1+1" in text(admin.get(f"/history/?{query}"))) is is_listed, query
    page = admin.get("/history/?day_from=t&day_to=rubbish")
    assert 'type="date"' not in page.content.decode()
    assert "“rubbish” isn't a valid date" in text(page)
    for query, words in {
        "outcome=maybe": "“maybe” isn't valid",
        "day_from=rubbish": "a valid date",
    }.items():
        for page in (admin.get(f"/history/?{query}"), admin.get(f"/history/?{query}&format=csv")):
            assert words in text(page)
            assert "No results for these filters" not in text(page)
            assert "format=csv" not in page.content.decode()
    lines = b"".join(admin.get("/history/?format=csv").streaming_content).decode().splitlines()
    assert lines[0].startswith("when,who,record")
    assert "'=1+1'" in lines[1]
    assert ",2.000," in lines[1]


def test_what_is_too_old_goes(desk, contact, settings):
    edit(desk, contact, cstaddress="New Street")
    edit(desk, contact, cstaddress="Newer Street")
    long_ago = timezone.now() - timedelta(days=settings.AUDIT_RETENTION_DAYS + 1)
    Write.objects.filter(pk=Write.objects.order_by("pk")[0].pk).update(asked_at=long_ago)
    call_command("tidy", stdout=open("/dev/null", "w"))  # noqa: SIM115, PTH123
    assert Write.objects.count() == 1


def test_a_write_whose_process_died_is_in_the_history_as_not_sure(desk, contact):
    edit(desk, contact, cstaddress="New Street")
    Write.objects.update(state="sending", done_at=None, answer="")
    Write.objects.update(reserved_until=Now() - timedelta(seconds=1))
    call_command("tidy", stdout=open("/dev/null", "w"))  # noqa: SIM115, PTH123
    assert (Write.objects.get().state, Write.objects.get().error_summary) == (
        "not sure",
        "no answer was stored",
    )
    page = text(desk.get(f"/contacts/{contact}/history/"))
    assert "Perhaps changed" in page
    assert "New Street" in page


def test_a_record_that_was_not_deleted_is_not_shown_as_if_it_were(desk, contact, standin):
    standin.fault("status-409", operation="delete", times=1)
    delete_now(desk, ask_to_delete(desk, f"/contacts/{contact}/"))
    page = desk.get(f"/contacts/{contact}/history/")
    assert "Not deleted" in text(page)
    assert "<del>" not in page.content.decode()
    delete_now(desk, ask_to_delete(desk, f"/contacts/{contact}/"))
    page = desk.get(f"/contacts/{contact}/history/")
    assert "History of Zebra" in text(page)  # by its name, although it is gone
    assert "<del>Individual</del>" in page.content.decode()
    assert f'href="/contacts/{contact}/"' not in page.content.decode()


def test_a_history_of_several_pages_links_to_the_older_entries(desk, contact, monkeypatch):
    monkeypatch.setattr(history_pages, "ON_A_PAGE", 1)
    edit(desk, contact, cstaddress="New Street")
    edit(desk, contact, cstaddress="Newer Street")
    page = desk.get(f"/contacts/{contact}/history/")
    assert "Newer Street" in text(page)
    older = desk.get(linked(page, "Older"))
    assert "Newer Street" not in text(older)
    assert "Newer Street" in text(desk.get(linked(older, "Newer")))


def linked(page, words):
    [address] = re.findall(rf'href="([^"]*)">{words}</a>', page.content.decode())
    return f"{page.request['PATH_INFO']}{html.unescape(address)}"


def test_what_is_kept_as_numbers_is_shown_by_name(
    gateway, client_of, with_keys, administrator, standin, lists
):
    [owner, *_], [pipeline, *_] = (
        reference_data("acme")["users"],
        reference_data("acme")["pipelines"],
    )
    admin = client_of(with_keys(administrator))
    zebra = gateway.create(CONTACTS, {"cstname": "Zebra", "contact_type": 2}).id
    body = {"deal_name": "Stripes", "pipeline_id": pipeline["id"], "cstid": zebra}
    deal = gateway.create(DEALS, {**body, "deal_owner_id": owner["id"]}).id
    delete_now(admin, ask_to_delete(admin, f"/deals/{deal}/"))
    cache.clear()
    assert f"Company: Contact {zebra}" in text(admin.get("/history/"))
    admin.get("/contacts/")
    calls = len(standin.ledger())
    assert "Company: Zebra" in text(admin.get("/history/"))
    assert len(standin.ledger()) == calls
    delete_now(admin, ask_to_delete(admin, f"/contacts/{zebra}/"))
    page = text(admin.get("/history/"))
    assert "Company: Zebra (deleted)" in page
    assert f"Owner: {owner['name']}" in page
    assert f"Pipeline: {pipeline['name']}" in page


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ({"item_id": 5, "item_name": "Hour", "quantity": "2.00", "price": 95}, "2 x Hour at 95"),
        ({"type": "header", "item_name": "Part one", "quantity": 0}, "Header: Part one"),
        (
            {"item_name": "Hour", "quantity": 1, "description": "Red, size: L", "tax_rate": 5},
            "1 x Hour, tax 5%, description Red, size: L",
        ),
        (
            {"item_name": "Hour", "price": 95, "discount": 10, "discount_type": 2, "tax_id": 61},
            "Hour at 95, discount 10%, tax 61",
        ),
        ({"item_name": "Hour", "discount": "5.00", "discount_type": 1}, "Hour, discount 5"),
    ],
)
def test_lines_of_a_document_are_told_in_words(line, words):
    assert lines_in_words(as_data([line])) == words


def test_the_tax_of_a_line_has_the_name_of_the_list(db):
    save_entries("Acme", Kind.TAX, [{"code": "61", "name": "VAT 20%"}])
    names = EntryNames("Acme")
    line = {"item_name": "Hour", "quantity": "1", "tax_rate": "20"}
    assert lines_in_words([{**line, "tax_id": "61"}], names.words) == "1 x Hour, VAT 20%"
    assert lines_in_words([{**line, "tax_id": "62"}], names.words) == "1 x Hour, tax 20%"


def test_values_are_told_as_on_other_pages():
    told = {"2026-03-02": "2 Mar 2026", "0000-00-00": "0000-00-00", "": ""}
    assert {day: EntryNames().words(DayField(), day) for day in told} == told
    assert EntryNames().words(MomentField(), "2026-03-02T09:30:00") == "2 Mar 2026, 09:30"
    own = CustomFieldsField(kind=Kind.CONTACT_FIELD, label="Own")
    words = EntryNames().words(own, {"7": "North", "8": "A"})
    assert words == "#7 (not named yet): North, #8 (not named yet): A"


def test_the_reason_of_a_refusal_says_who_refused():
    assert reason("Rejected") == describe(Rejected(sent=False)).title
    assert reason("Rejected 409") == f"{describe(Rejected()).title} (409)"
    assert reason("Busy") == describe(Busy()).title
