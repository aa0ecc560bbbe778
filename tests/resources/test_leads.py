"""Leads: read from lists, replaced instead of updated, converted to contacts and deals."""

from datetime import timedelta
from itertools import chain, repeat

import pytest

from dashboard.gateway import CONTACTS, DEALS, LEADS, Gateway, Page
from dashboard.gateway.records import record_of
from dashboard.office import editing
from dashboard.office.choices import remember_choices, remember_own_id
from dashboard.office.kinds import Kind
from dashboard.resources.leads import LEADS as LEAD_PAGES
from dashboard.standin.reference_data import reference_data
from dashboard.writes import ledger
from tests.conftest import every_profile
from tests.helpers import text
from tests.page_forms import fields

pytestmark = pytest.mark.django_db

LEAD = {
    "cstname": "Zoe Zebra",
    "cstemail": "zoe@zebra.example",
    "lead_company_name": "Zebra Trading",
    "lead_source": "Fair",
}


@pytest.fixture
def lead(gateway):
    return gateway.create(LEADS, LEAD).id


def named(gateway, endpoint, name):
    return [row.id for row in gateway.list(endpoint, search=name, page_size=100).records]


def test_the_page_shows_what_a_list_row_has_beyond_the_reference(desk, lead, gateway, monkeypatch):
    row = gateway.list(LEADS, search="zoe").records[0].raw
    more = {"cstmobile": "+49301234567", "nickname": "Zozo", "tags": [{"id": 4, "name": "VIP"}]}
    endpoint = LEAD_PAGES.endpoint
    page = Page((record_of(endpoint, {**row, **more}),), 0, 100, 1, 1, 0)
    monkeypatch.setattr(Gateway, "list", lambda *_, **__: page)
    shown = desk.get(f"/leads/{lead}/")
    [(_, lines)] = shown.context["record_page"].details.sections
    assert {"Phone", "Tags"} < {line.label for line in lines}
    assert "Nickname" in [line.label for line in shown.context["record_page"].details.extra]
    [note] = shown.context["record_page"].notes
    assert "Address" in note
    assert "Phone," not in note


def test_a_lead_says_where_calls_are_logged(desk, lead):
    page = desk.get(f"/leads/{lead}/")
    assert "Convert this lead to log one." in text(page)
    assert b"log-text" not in page.content


def test_a_lead_missing_from_the_list_is_shown_from_the_cache(desk, lead, gateway):
    desk.get(f"/leads/{lead}/")
    gateway.delete(LEADS, lead)
    page = desk.get(f"/leads/{lead}/")
    assert page.status_code == 200
    assert "no longer in the list" in text(page)
    assert "as last seen on" in text(page)


def test_an_unreachable_service_shows_the_cached_lead(desk, lead, standin):
    desk.get(f"/leads/{lead}/")
    standin.fault("status-500", operation="list")
    page = desk.get(f"/leads/{lead}/")
    assert "Zoe Zebra" in text(page)
    assert "as last seen on" in text(page)


@every_profile
def test_tags_are_typed_by_name_and_go_beside_those_with_a_number(desk, gateway, sent):
    tags = reference_data("acme")["lead-tags"]
    typed = {**LEAD, "tag_ids-more": f"{tags[0]['name'].upper()}, {tags[1]['id']}"}
    saved = desk.post("/leads/new/", {**fields(desk.get("/leads/new/")), **typed}, follow=True)
    assert "was created" in text(saved)
    [body] = sent("create", resource="leads")
    assert (body["tag_ids"], body["tag_names"]) == ([tags[1]["id"]], [tags[0]["name"].upper()])
    assert "tag_names" not in text(desk.get("/history/"))


@pytest.mark.parametrize(
    ("typed", "is_sent"), [("ä@ö.de", True), ("zoe@zebra", True), ("n/a", False)]
)
def test_an_email_of_a_lead_has_no_format_beyond_its_at_sign(desk, sent, typed, is_sent):
    more = {"cstname": "Zoe Zebra", "cstemail": typed}
    desk.post("/leads/new/", {**fields(desk.get("/leads/new/")), **more})
    assert [body["cstemail"] for body in sent("create", resource="leads")] == [typed] * is_sent


def test_a_tag_that_the_service_lacks_is_told_at_the_tags(desk, standin, sent):
    typed = {**LEAD, "tag_ids-more": "Nobody has this"}
    page = desk.post("/leads/new/", {**fields(desk.get("/leads/new/")), **typed})
    assert page.status_code == 422
    assert set(page.context["form"].errors) == {"tag_ids"}
    assert 'value="Nobody has this"' in page.content.decode()


def test_replace_creates_the_corrected_lead_and_then_deletes_the_old_one(
    desk, lead, standin, gateway
):
    page = desk.get(f"/leads/{lead}/replace/")
    assert "Changes" in text(page)
    assert "LD-" in text(page)
    typed = {**fields(page), "cstname": "Zoe Zebrano"}
    page = desk.post(f"/leads/{lead}/replace/", typed, follow=True)
    assert "The old lead was deleted" in text(page)
    writes = [e["operation"] for e in standin.ledger() if e["operation"] in ("create", "delete")]
    assert writes[-2:] == ["create", "delete"]
    assert lead not in named(gateway, LEADS, "zoe")
    assert len(named(gateway, LEADS, "Zoe Zebrano")) == 1


@pytest.mark.parametrize("page", ["replace", "convert"])
def test_a_repeated_replace_gets_the_first_answer(desk, unpublished, lead, standin, page):
    url = f"/leads/{lead}/{page}/"
    typed = {**fields(desk.get(url)), "delete_lead": "on"}
    first = desk.post(url, typed)
    count = len(standin.ledger(method="POST")) + len(standin.ledger(method="DELETE"))
    again = desk.post(url, typed)
    assert (again.status_code, again["Location"]) == (302, first["Location"])
    assert len(standin.ledger(method="POST")) + len(standin.ledger(method="DELETE")) == count
    assert desk.get(url).status_code == 404


@pytest.mark.parametrize("fault", ["status-422", "status-500", "reset-after"])
def test_replace_deletes_nothing_unless_the_corrected_lead_is_saved(desk, lead, standin, fault):
    typed = fields(desk.get(f"/leads/{lead}/replace/"))
    standin.fault(fault, operation="create")
    desk.post(f"/leads/{lead}/replace/", typed)
    assert standin.ledger(operation="delete") == []


def test_replace_reports_that_the_old_lead_was_not_deleted(desk, lead, standin, gateway):
    typed = fields(desk.get(f"/leads/{lead}/replace/"))
    standin.fault("status-500", operation="delete")
    page = desk.post(f"/leads/{lead}/replace/", typed, follow=True)
    assert f"The old lead, number {lead}, may still be there" in text(page)


def test_editing_is_refused_with_a_reason_unless_switched_on(desk, lead):
    page = desk.get(f"/leads/{lead}/edit/")
    assert page.status_code == 501
    assert "let other apps edit leads" in text(page)
    assert f"/leads/{lead}/replace/" in page.content.decode()


@every_profile
def test_a_lead_is_read_and_updated_if_switched_on(desk, unpublished, lead, sent):
    opened = fields(desk.get(f"/leads/{lead}/edit/"))
    desk.post(f"/leads/{lead}/edit/", {**opened, "lead_source": "Phone"})
    assert sent("update") == [{"lead_source": "Phone"}]
    assert "show these fields of a lead" not in text(desk.get(f"/leads/{lead}/"))


@pytest.mark.parametrize("status", [404, 405, 501])
def test_replace_takes_over_what_was_typed_if_the_service_lacks_update(
    desk, unpublished, lead, sent, gateway, status
):
    url = f"/leads/{lead}/edit/"
    typed = {**fields(desk.get(url)), "cstname": "Zoe Zebrano", "cstmobile": "+49 30 1234567"}
    unpublished.fault(f"status-{status}", operation="update")
    page = desk.post(url, typed)
    assert page.status_code == 501
    assert page.context["form"]["cstname"].value() == "Zoe Zebrano"
    button = 'value="carry-over" formaction="/leads/'
    assert button in page.content.decode()
    replace = f"/leads/{lead}/replace/"
    desk.post(replace, {**fields(page), "do": "carry-over"})
    [draft] = desk.get("/unfinished/").context["unfinished"]
    page = desk.get(draft["url"])  # opens as the edit that it began as
    assert page.context["form"]["cstname"].value() == "Zoe Zebrano"
    page = desk.post(replace, {**fields(page), "do": "carry-over"})
    assert page.context["form"].errors == {}
    assert "Changes" in text(page)
    assert len(sent("create")) == 1  # the lead itself
    page = desk.post(replace, fields(page), follow=True)
    assert "The old lead was deleted" in text(page)
    assert sent("create")[-1] == {**LEAD, "cstname": "Zoe Zebrano", "cstmobile": "+49301234567"}
    assert len(named(gateway, LEADS, "zoe")) == 1
    assert desk.get("/unfinished/").context["unfinished"] == []


@every_profile
def test_converting_a_lead_creates_a_business_a_contact_and_a_deal(desk, lead, sent, gateway):
    page = desk.get(f"/leads/{lead}/convert/?deal=1")
    typed = {**fields(page), "pipeline_id": "1", "deal_amount": "500"}
    page = desk.post(f"/leads/{lead}/convert/?deal=1", typed, follow=True)
    assert page.redirect_chain[-1][0].startswith("/deals/")
    business, person, deal = sent("create")[-3:]
    assert (business["cstname"], business["contact_type"]) == ("Zebra Trading", 2)
    assert person["cstname"] == "Zoe Zebra"
    [company_id] = named(gateway, CONTACTS, "Zebra Trading")
    assert person["contact_parent"] == deal["cstid"] == company_id
    assert deal["deal_name"] == "Zebra Trading"
    assert named(gateway, LEADS, "zoe@zebra.example") == [lead]


def test_the_deal_of_a_conversion_begins_as_a_new_one(desk, lead, manager):
    remember_choices(
        user=manager,
        workspace="Acme",
        values={"deals.pipeline_id": "2", "deals.deal_amount_currency": "840"},
    )
    form = desk.get(f"/leads/{lead}/convert/?deal=1").context["form"]
    assert form["pipeline_id"].value() == "2"
    assert form["deal_amount_currency"].value() == "840"


@pytest.mark.parametrize("is_known", [True, False])
def test_the_deal_of_a_conversion_has_the_owner_and_the_source_of_the_lead(
    desk, gateway, sent, manager, is_known
):
    hers, mine = reference_data("acme")["users"][-2:]
    remember_own_id(manager, "Acme", str(mine["id"]))
    known = [hers] * is_known + [mine]
    entries = [{"code": str(each["id"]), "name": each["name"]} for each in known]
    editing.save_entries("Acme", Kind.USER, entries)
    lead = gateway.create(LEADS, {**LEAD, "lead_assignedto": hers["id"]}).id
    page = desk.get(f"/leads/{lead}/convert/?deal=1")
    assert 'name="deal_owner_id"' in page.content.decode()
    assert 'name="deal_source"' in page.content.decode()
    desk.post(f"/leads/{lead}/convert/?deal=1", {**fields(page), "pipeline_id": "1"})
    deal = sent("create", resource="deals")[-1]
    assert deal["deal_owner_id"] == (hers if is_known else mine)["id"]
    assert deal["deal_source"] == LEAD["lead_source"]


def test_converting_a_lead_reuses_existing_contacts(desk, lead, gateway, sent):
    there = gateway.create(
        CONTACTS, {"cstname": "ZOE ZEBRA", "cstemail": "zoe@zebra.example", "contact_type": 1}
    ).id
    gateway.create(CONTACTS, {"cstname": "ZEBRA  TRADING", "contact_type": 2})
    page = desk.get(f"/leads/{lead}/convert/?deal=1")
    assert page.context["form"]["person"].value() == str(there)
    count = len(sent("create"))
    desk.post(f"/leads/{lead}/convert/?deal=1", {**fields(page), "pipeline_id": "1"})
    [deal] = sent("create")[count:]
    assert deal["deal_contact_id"] == there


def test_a_contact_with_the_email_of_a_lead_and_another_name_is_offered_only(desk, lead, gateway):
    body = {"cstname": "Yan Zebra", "cstemail": "zoe@zebra.example", "contact_type": 1}
    other = gateway.create(CONTACTS, body).id
    person = desk.get(f"/leads/{lead}/convert/").context["form"]["person"]
    assert person.value() == "new"
    assert str(other) in dict(person.field.choices)


def test_converting_deletes_the_lead_only_if_the_box_is_ticked(desk, lead, gateway):
    typed = {**fields(desk.get(f"/leads/{lead}/convert/")), "delete_lead": "on"}
    for _ in range(2):  # the same form is sent twice
        desk.post(f"/leads/{lead}/convert/", typed)
    assert named(gateway, LEADS, "zoe@zebra.example") == []
    [kept] = desk.get("/unfinished/").context["deleted"]
    form = desk.get(kept["again_url"]).context["form"]
    assert form["cstemail"].value() == "zoe@zebra.example"


def test_a_conversion_that_took_long_deletes_the_lead(desk, lead, gateway, monkeypatch):
    typed = {**fields(desk.get(f"/leads/{lead}/convert/")), "delete_lead": "on"}
    seconds = ledger.longest_call()
    times = chain([timedelta(microseconds=1)], repeat(seconds))  # the lead's is over at once
    monkeypatch.setattr(ledger, "longest_call", lambda: next(times))
    desk.post(f"/leads/{lead}/convert/", typed)
    assert named(gateway, LEADS, "zoe@zebra.example") == []


def test_a_failed_conversion_continues_after_the_completed_steps(
    desk, lead, standin, gateway, sent
):
    page = desk.get(f"/leads/{lead}/convert/?deal=1")
    standin.fault("status-422", operation="create", resource="deals")
    page = desk.post(f"/leads/{lead}/convert/?deal=1", {**fields(page), "pipeline_id": "1"})
    assert page.status_code == 422
    assert "lready saved" in text(page)
    standin.clear_faults()
    desk.post(f"/leads/{lead}/convert/?deal=1", fields(page))
    assert len(named(gateway, CONTACTS, "Zebra Trading")) == 1
    assert len(named(gateway, CONTACTS, "zoe@zebra.example")) == 1
    assert len(named(gateway, DEALS, "Zebra Trading")) == 1


def test_a_reconciled_step_keeps_the_rest_of_the_typed_input(desk, lead, standin, gateway):
    page = desk.get(f"/leads/{lead}/convert/?deal=1")
    standin.fault("reset-after", operation="create", times=1)
    typed = {**fields(page), "pipeline_id": "1", "deal_name": "Stripes for all"}
    unsure = desk.post(f"/leads/{lead}/convert/?deal=1", typed)["Location"]
    standin.clear_faults()
    [business] = named(gateway, CONTACTS, "Zebra Trading")
    desk.post(f"{unsure}found/", {"record_id": business})
    [draft] = desk.get("/unfinished/").context["unfinished"]
    assert "Stripes for all" in desk.get(draft["url"]).content.decode()


def test_typed_input_for_a_deleted_lead_can_be_saved(desk, unpublished, lead, gateway):
    typed = {**fields(desk.get(f"/leads/{lead}/convert/")), "cstname": "Zoe of Zebra"}
    gateway.delete(LEADS, lead)
    desk.post(f"/leads/{lead}/convert/", typed)
    assert len(named(gateway, CONTACTS, "Zoe of Zebra")) == 1
    assert desk.get(f"/leads/{lead}/convert/").status_code == 404


def test_a_number_and_its_country_must_agree(desk, lists):
    typed = {**fields(desk.get("/leads/new/")), **LEAD, "cstmobile": "+49 30 1234567"}
    page = desk.post("/leads/new/", {**typed, "cstmobile_country_id": "3"})
    assert "begins with +49, which is not France" in text(page)


def test_what_a_lead_may_be_already_stands_beside_it(desk, gateway):
    email = "ida@zebra.example"
    body = {"cstname": "Ida Zebra", "contact_type": 1, "cstemail": email}
    gateway.create(CONTACTS, {**body, "cstmobile": "+4930123456789"})
    zebra = gateway.create(CONTACTS, {"cstname": "Zebra Zoo Ltd", "contact_type": 2}).id
    lead = {"cstname": "Ida Zebra", "cstemail": email, "cstmobile": "030123456789"}
    lead = gateway.create(LEADS, {**lead, "lead_company_name": "Zebra Zoo Ltd"}).id
    page = desk.get(f"/leads/{lead}/").content.decode()
    assert f'hx-get="/leads/{lead}/?panel=conversion"' in page
    assert f'href="/leads/{lead}/convert/"' in page
    [panel] = desk.get(f"/leads/{lead}/?panel=conversion").context["panels"]
    [person] = panel.people
    assert person.name.text == "Ida Zebra"
    assert "same name, same email" in person.subject.text
    [business] = panel.businesses
    assert (business.name.url, business.subject.text) == (f"/contacts/{zebra}/", "same name")


def test_a_phone_of_a_lead_that_is_no_number_stops_only_a_new_contact(desk, gateway, sent):
    lead = gateway.create(LEADS, {**LEAD, "cstmobile": "5551234"}).id
    there = gateway.create(CONTACTS, {"cstname": "Yan", "contact_type": 1}).id
    url = f"/leads/{lead}/convert/"
    typed = {**fields(desk.get(url)), "cstmobile": "n/a", "company": "none"}
    before = len(sent("create"))
    page = desk.post(url, typed)
    assert page.context["form"].errors.keys() == {"cstmobile"}
    assert len(sent("create")) == before
    assert desk.post(url, {**typed, "person": str(there)})["Location"] == f"/contacts/{there}/"
