"""One search over all resources, pages and commands."""

import re
from urllib.parse import quote

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dashboard.documents.cells import OPEN
from dashboard.gateway import CONTACTS, INVOICES
from dashboard.office import recents
from dashboard.office.models import RecentRecord
from dashboard.people.models import KeyPair
from dashboard.schema import values
from dashboard.search.commands import SYNONYMS
from dashboard.search.hits import Hit
from tests.helpers import text


def text_of(client, query):
    page = client.get(f"/search/{query}")
    assert page.status_code == 200
    return page.content.decode()


def titles(body):
    return re.findall(r'<div role="group" aria-label="([^"]+)"', body)


def test_records_of_all_resources_are_found_at_once(desk):
    body = text_of(desk, "?q=a&hits=1")
    assert {"Contacts", "Leads", "Deals", "Tasks"} <= set(titles(body))
    assert 'data-found-for="a"' in body
    assert len(re.findall(r'role="option"', body)) == len(set(re.findall(r'id="(hit-\d+)"', body)))


def test_what_looks_like_a_number_brings_documents_first(desk):
    number = re.search(r">(INV-\d+)<", desk.get("/invoices/").content.decode())[1]
    groups = titles(text_of(desk, f"?q={number}&hits=1"))
    assert groups[0] in ("Estimates", "Invoices")


def hits(client, query):
    """The hits of records by their name."""
    groups = client.get(f"/search/?hits=1&q={query}").context["groups"]
    return {hit.label.text: hit for group in groups for hit in group.hits}


def test_a_document_is_shown_with_its_customer_status_and_amount(desk, gateway):
    record = next(each for each in gateway.list(INVOICES).records if each["amount_due"])
    customer = gateway.get(CONTACTS, record["customer_id"])["cstname"]
    desk.get(f"/contacts/{record['customer_id']}/")  # from now on the name is known
    found = hits(desk, record["inv_number"])[record["inv_number"]]
    assert found.hint == customer
    assert found.status.text
    assert f"{record['amount_due']:,.2f}" in found.amount


def test_the_search_asks_for_no_name(desk, gateway, standin):
    number = gateway.list(INVOICES).records[0]["inv_number"]
    before = len(standin.ledger(operation="get"))
    assert hits(desk, number)[number].hint == ""
    assert len(standin.ledger(operation="get")) == before


def test_a_contact_is_told_by_its_email_address_else_its_number(desk, gateway):
    with_number = {"contact_type": 1, "cstmobile": "555123"}
    for name, more in (("Zebra A", {"cstemail": "a@zebra.example"}), ("Zebra B", {})):
        gateway.create(CONTACTS, {"cstname": name, **with_number, **more})
    gateway.create(CONTACTS, {"cstname": "Zebra C", "contact_type": 1})
    found = hits(desk, "zebra")
    assert found["Zebra A"].hint == "a@zebra.example"
    assert found["Zebra B"].hint == "555123"
    assert found["Zebra C"].hint.startswith("#")


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("acorn", [("Acorn", True), (" & Sons", False)]),
        ("sons a", [("A", True), ("corn & ", False), ("Sons", True)]),
        ("(", [("Acorn & Sons", False)]),
        ("", [("Acorn & Sons", False)]),
        ("+contact acorn", [("Acorn & Sons", False)]),
    ],
)
def test_the_words_that_were_searched_for_are_marked(text, pieces):
    assert Hit(values.link("/", "Acorn & Sons")).marked(text) == pieces


def test_pages_and_commands_are_found_with_their_keys(desk):
    body = text_of(desk, "?q=new+inv&hits=1")
    assert 'href="/invoices/new/"' in body
    assert "<kbd>c</kbd><kbd>i</kbd>" in body


def test_every_place_is_a_command(desk, client_of, with_keys, viewer):
    def offered(client, words):
        return {name: hit for name, hit in hits(client, words).items() if hit.label.url}

    assert offered(desk, "import deals")["Import deals"].label.url == "/deals/import/"
    assert offered(desk, "agenda")["Tasks: Agenda"].label.url == "/tasks/agenda/"
    assert offered(desk, "sign out")["Sign out"].label.url == "/accounts/logout/"
    assert offered(desk, "theme")["Theme: Dark"].theme == "dark"
    assert "Import deals" not in offered(client_of(with_keys(viewer)), "import deals")


def test_the_synonyms_are_those_of_commands(desk):
    for label, words in SYNONYMS.items():
        assert hits(desk, words.split(", ")[0])[label].hint == f"also: {words}"


def test_a_statement_is_a_command_that_takes_a_customer(desk, gateway):
    zebra = gateway.create(CONTACTS, {"cstname": "Zebra Ltd", "contact_type": 2}).id
    for typed in ("statement zebra", "Statement for zebra ltd", "stat zebra"):
        hit = hits(desk, typed)["Statement for Zebra Ltd"]
        assert hit.label.url == f"/contacts/{zebra}/statement/"
    assert [*hits(desk, "statement")] == ["Statement for…"]
    desk.get(f"/contacts/{zebra}/")
    assert "Statement for Zebra Ltd" in hits(desk, "statement")


def test_an_open_invoice_is_found_by_its_amount(desk, gateway):
    record = next(each for each in gateway.list(INVOICES).records if each["inv_status"] == OPEN)
    amount = f"{record['amount_due']:,.2f}"
    groups = desk.get(f"/search/?hits=1&q={amount}").context["groups"]
    assert groups[0].title == "Open invoices with this amount"
    assert record["inv_number"] in [hit.label.text for hit in groups[0].hits]
    assert hits(desk, "0.01") == {}


def test_a_document_is_found_without_the_zeros_of_its_number(desk, gateway):
    record = gateway.list(INVOICES, page_size=1).records[0]
    letters, digits = record["inv_number"].split("-")
    assert digits.startswith("0")
    for typed in (f"{letters}-{int(digits)}", f"{letters.lower()}{int(digits)}"):
        found = hits(desk, typed)
        assert record["inv_number"] in found
        assert next(iter(found)) == record["inv_number"]


def test_a_new_contact_is_offered_for_a_number(desk, viewer, client_of, with_keys):
    hit = hits(desk, "030 7654321")["New contact with this number"]
    form = desk.get(hit.label.url).context["form"]
    assert "7654321" in str(form["cstmobile"].value())
    assert "New contact with this number" not in hits(desk, "7654")
    for label in ("Log a call", "New task: call back"):
        form = desk.get(hits(desk, "030 7654321")[label].label.url).context["form"]
        assert form["title"].value().lower().startswith("call")
        assert "030 7654321" in form["title"].value()
    lead = desk.get(hits(desk, "030 7654321")["New lead with this number"].label.url)
    assert "7654321" in str(lead.context["form"]["cstmobile"].value())
    assert hits(client_of(with_keys(viewer)), "030 7654321") == {}


def test_a_name_is_found_in_another_spelling_by_one_more_call_where_it_may_have_one(
    desk, gateway, standin
):
    gateway.create(CONTACTS, {"cstname": "Saint Anne's Cycles", "contact_type": 2})
    found = desk.get("/search/", {"q": "saint  anne\u2019s"})
    assert "Saint Anne&#39;s Cycles" in re.sub("</?mark>", "", found.content.decode())
    before = len(standin.ledger(operation="list"))
    desk.get("/search/", {"q": "nobody of that name"})
    assert len(standin.ledger(operation="list")) == before + 6


def test_a_resource_that_fails_says_so_in_its_own_line(desk, standin):
    standin.fault("status-503", operation="list", resource="deals")
    body = text_of(desk, "?q=a&hits=1")
    deals = body.partition('aria-label="Deals"')[2].partition("</div>")[0]
    assert re.search(r'<span class="late">[^<]+\.<', deals)
    assert "Contacts" in titles(body)


@pytest.mark.parametrize(
    "spelling",
    ["030 123 456 78", "+49 30 12345678", "0049 (0)30 12345678", "+49 (0)30/12345678", "12345678"],
)
def test_a_number_is_found_in_any_spelling_among_records_seen_lately(desk, gateway, spelling):
    body = {"cstname": "Zoe Zebra", "contact_type": 1, "cstmobile": "+493012345678"}
    zoe = gateway.create(CONTACTS, body).id
    assert "Zoe Zebra" not in text_of(desk, f"?q={quote(spelling)}&hits=1")
    desk.get(f"/contacts/{zoe}/")
    found = text_of(desk, f"?q={quote(spelling)}&hits=1")
    assert titles(found)[0] == "Recent records"
    assert f'href="/contacts/{zoe}/"' in found
    assert "Searching all contacts for this number" in found
    assert "Searching all contacts" not in text_of(desk, "?q=INV-00012")


def test_another_number_is_not_found_and_another_person_finds_none(
    desk, gateway, viewer, client_of, with_keys
):
    body = {"cstname": "Zoe Zebra", "contact_type": 1, "cstmobile": "+493012345678"}
    desk.get(f"/contacts/{gateway.create(CONTACTS, body).id}/")
    assert "Recent records" not in titles(text_of(desk, "?q=030+87654321&hits=1"))
    other = client_of(with_keys(viewer))
    assert "Zoe Zebra" not in text_of(other, "?q=030+12345678&hits=1")


def test_the_same_failure_of_all_resources_is_said_once(desk, standin):
    standin.fault("status-401", operation="list")
    body = text_of(desk, "?q=zebra&hits=1")
    assert titles(body) == ["Search"]
    assert len(re.findall(r'<span class="late">The CRM rejected [^<]+\.<', body)) == 1


def test_areas_that_the_plan_lacks_are_neither_searched_nor_told(desk, gateway, standin):
    gateway.create(CONTACTS, {"cstname": "Zebra", "contact_type": 1})
    KeyPair.objects.update(closed_areas=["leads", "deals", "estimates", "invoices"])
    standin.reset(data=False)
    assert titles(text_of(desk, "?q=zebra&hits=1")) == ["Contacts"]
    assert {each["resource"] for each in standin.ledger(operation="list")} == {"contacts", "tasks"}


def test_an_empty_search_shows_what_was_opened_last(desk):
    listed = desk.get("/contacts/").content.decode()
    link = re.search(r'<th scope="row"[^>]*>.*?<a href="(/contacts/\d+/)"', listed)
    assert "Recent" not in text_of(desk, "?hits=1")
    desk.get(link[1])
    body = text_of(desk, "?hits=1")
    assert "Recent" in titles(body)
    assert f'href="{link[1]}"' in body


def test_only_the_last_fifty_records_are_kept(manager):
    for number in range(1, 61):
        recents.note_opened(manager, "owner", "contacts", number)
    kept = recents.opened(manager, "owner", starred=False)
    assert len(kept) == recents.MAX_RECENTS
    assert kept[0] == ("contacts", 60)


def test_a_record_is_noted_unless_it_is_the_last_one_with_the_same_name(manager):
    def note(number: int, title: str) -> set[str]:
        with CaptureQueriesContext(connection) as queries:
            recents.note_opened(manager, "owner", "contacts", number, title=title)
        return {each["sql"].split()[0] for each in queries}

    assert "INSERT" in note(1, "One")
    assert note(1, "One") == {"SELECT"}
    assert "UPDATE" in note(1, "Two")
    assert "INSERT" in note(2, "Other")
    assert "UPDATE" in note(1, "Two")
    assert recents.opened(manager, "owner", starred=False) == [("contacts", 1), ("contacts", 2)]


def test_a_starred_record_is_never_dropped(manager):
    recents.star(manager, "owner", "deals", 7, on=True)
    for number in range(1, 61):
        recents.note_opened(manager, "owner", "contacts", number)
    assert recents.opened(manager, "owner", starred=True) == [("deals", 7)]
    recents.star(manager, "owner", "deals", 7, on=False)
    assert recents.opened(manager, "owner", starred=True) == []


def test_another_key_pair_sees_none_of_it(desk, manager):
    desk.get("/contacts/1001/")
    row = RecentRecord.objects.get()
    assert recents.opened(manager, "another", starred=False) == []
    assert recents.opened(manager, row.owner, starred=False) == [("contacts", 1001)]


def test_a_record_is_starred_and_its_star_taken_away(desk):
    page = desk.get("/contacts/1001/").content.decode()
    assert 'aria-pressed="false" aria-label="Starred"' in page
    sent = {"resource": "contacts", "record": "1001"}
    back = desk.post("/search/star/", {**sent, "on": "1"})
    assert back["Location"] == "/contacts/1001/"
    assert (
        'aria-pressed="true" aria-label="Starred"' in desk.get("/contacts/1001/").content.decode()
    )
    assert "Starred" in text(desk.get("/search/?q="))
    swapped = desk.post("/search/star/", {**sent, "on": "0"}, headers={"HX-Request": "true"})
    assert swapped.status_code == 200
    assert 'aria-pressed="false"' in swapped.content.decode()


@pytest.mark.parametrize("sent", [{}, {"resource": "invoices", "record": "x"}, {"record": "17"}])
def test_nothing_else_can_be_starred(desk, sent):
    assert desk.post("/search/star/", {**sent, "on": "1"}).status_code == 404


def test_an_entry_in_one_line_shows_its_parts_and_opens_the_filled_form(desk):
    line = "%2Blead Zoe zoe@zebra.example, met in Berlin"
    body = text_of(desk, f"?q={line}&hits=1")
    assert "<span>Email</span>zoe@zebra.example" in body
    assert "<span>Not understood</span>met in Berlin" in re.sub(r">\s+", ">", body)
    [link] = re.findall(r'role="option"[^>]*href="([^"]+)"', body)
    assert link == "/leads/new/?line=Zoe+zoe%40zebra.example%2C+met+in+Berlin"
    page = desk.get(link)
    form = page.context["form"]
    assert (form["cstname"].value(), form["cstemail"].value()) == ("Zoe", "zoe@zebra.example")
    assert form["cstnotes"].value() == "met in Berlin"
    assert "Not understood" in page.content.decode()
    assert "<span>Email</span>zoe@zebra.example" in text_of(desk, f"?q={line}")


def test_a_plus_sign_offers_every_form_and_a_viewer_none(desk, viewer, client_of, with_keys):
    offered = re.findall(r'role="option"[^>]*href="([^"]+)"', text_of(desk, "?q=%2B&hits=1"))
    assert len(offered) == 6
    assert all(link.endswith("/new/") for link in offered)
    assert "/new/" not in text_of(desk, "?q=%2Binvoice+acorn&hits=1"), "it has no such entry"
    reader = client_of(with_keys(viewer))
    assert "/new/" not in text_of(reader, "?q=%2Blead+Zoe&hits=1")


def side_of(page):
    menu = re.search(r'<nav class="menu".*?</nav>', page.content.decode(), re.S)[0]
    lists = re.findall(r"<h2[^>]*>(\w+)</h2>\s*<ul[^>]*>(.*?)</ul>", menu, re.S)
    return {
        title: re.findall(r'href="([^"]+)".*?<span class="cut">([^<]+)', rows)
        for title, rows in lists
    }


def star(desk, number):
    desk.get(f"/contacts/{number}/")
    desk.post("/search/star/", {"resource": "contacts", "record": str(number), "on": "1"})


def test_starred_records_are_in_the_side_without_a_call(desk, standin, gateway):
    assert side_of(desk.get("/help/")) == {}
    zoe = gateway.create(CONTACTS, {"cstname": "Zoe Zebra", "contact_type": 1}).id
    for number in (1001, 1002, 1003, 1004, zoe):
        star(desk, number)
    desk.get("/contacts/1005/")
    calls = len(standin.ledger())
    side = side_of(desk.get("/help/"))
    assert len(standin.ledger()) == calls
    assert list(side) == ["Starred"]
    assert side["Starred"][0] == (f"/contacts/{zoe}/", "Zoe Zebra")
    assert len(side["Starred"]) == 4


def test_a_record_that_is_gone_leaves_the_side(desk, gateway):
    zoe = gateway.create(CONTACTS, {"cstname": "Zoe Zebra", "contact_type": 1}).id
    star(desk, zoe)
    gateway.delete(CONTACTS, zoe)
    gone = desk.get(f"/contacts/{zoe}/")
    assert gone.status_code == 404
    assert side_of(gone) == side_of(desk.get("/help/")) == {}


def test_a_person_without_keys_has_no_records_in_reach(client_of, viewer):
    assert side_of(client_of(viewer).get("/help/")) == {}
