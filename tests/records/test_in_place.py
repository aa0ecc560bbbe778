"""One field of a record is changed where it stands, by the same form, writer and questions."""

import re

import pytest

from dashboard.gateway import CONTACTS
from dashboard.people.context import RequestContext
from dashboard.schema.record_form import posted_fields
from dashboard.schema.registry import RESOURCES
from dashboard.writes.models import Draft
from tests.helpers import text
from tests.page_forms import fields

HTMX = {"HX-Request": "true"}
PHONE = "0301234"


@pytest.fixture
def contact(gateway) -> int:
    body = {
        "cstname": "Zoe Zebra",
        "contact_type": 1,
        "cstemail": "zoe@zebra.example",
        "cstmobile": "0100",
        "cstaddress": "1 Long Lane\nOxford",
    }
    return gateway.create(CONTACTS, body).id


@pytest.fixture
def url(contact) -> str:
    return f"/contacts/{contact}/edit/?field=cstmobile"


def opened(desk, url):
    page = desk.get(url, headers=HTMX)
    assert page.status_code == 200
    return page


def save(desk, url, **typed):
    """Open the field, type, and save."""
    return desk.post(url, fields(opened(desk, url), **typed), headers=HTMX)


def test_htmx_gets_the_form_of_the_field_alone(desk, url):
    typed = fields(opened(desk, url))
    names = {"token", "draft", "snapshot", "in-place", "cstmobile", "csrfmiddlewaretoken"}
    assert set(typed) <= names
    assert typed["cstmobile"] == "0100"


def test_without_javascript_the_address_is_that_of_the_whole_form(desk, contact, url):
    page = desk.get(url).content.decode()
    assert 'name="cstemail"' in page
    assert page.count(" autofocus") == 1
    hidden = desk.get(f"/contacts/{contact}/edit/?field=cstaddress").content.decode()
    assert '<details class="more-fields" open>' in hidden


def test_only_the_field_is_sent_and_its_value_comes_back(desk, gateway, contact, url, sent):
    page = save(desk, url, cstmobile=PHONE)
    assert page.status_code == 200
    assert sent("update") == [{"cstmobile": PHONE}]
    assert "Saved" in text(page)
    assert f'href="tel:{PHONE}"' in page.content.decode()
    record = gateway.get(CONTACTS, contact)
    assert (record["cstmobile"], record["cstaddress"]) == (PHONE, "1 Long Lane\nOxford")
    assert not Draft.objects.exists()


def test_the_save_is_told_once(desk, contact, url):
    save(desk, url, cstmobile=PHONE)
    assert "Your changes were saved" not in text(desk.get(f"/contacts/{contact}/"))


def test_undo_brings_the_value_back(desk, gateway, contact, url, sent):
    page = save(desk, url, cstmobile=PHONE).content.decode()
    undo = dict(re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', page))
    assert "Saved" in text(desk.post(url, undo, headers=HTMX))
    assert sent("update") == [{"cstmobile": PHONE}, {"cstmobile": "0100"}]
    assert gateway.get(CONTACTS, contact)["cstmobile"] == "0100"


def test_an_untouched_field_sends_nothing(desk, url, sent):
    page = save(desk, url)
    assert "Saved" not in text(page)
    assert "0100" in text(page)
    assert sent("update") == []


def test_what_cannot_be_read_is_told_beside_the_field(desk, contact, sent):
    page = save(desk, f"/contacts/{contact}/edit/?field=cstemail", cstemail="zoe at zebra")
    assert page.status_code == 422
    assert fields(page)["cstemail"] == "zoe at zebra"
    assert 'id="id_cstemail_error"' in page.content.decode()
    assert sent("update") == []


def test_a_refusal_of_the_service_keeps_what_was_typed(desk, standin, contact):
    standin.fault("status-422", operation="update")
    page = save(desk, f"/contacts/{contact}/edit/?field=cstemail", cstemail="new@zebra.example")
    assert page.status_code == 422
    assert fields(page)["cstemail"] == "new@zebra.example"
    assert 'class="wrong"' in page.content.decode()


def test_a_service_that_is_away_keeps_what_was_typed_as_a_whole_form(desk, standin, contact, url):
    typed = fields(opened(desk, url), cstmobile=PHONE)
    standin.fault("status-503", operation="get", times=9)
    page = desk.post(url, typed, headers=HTMX)
    assert page.status_code >= 500
    assert page["HX-Retarget"]  # it is shown all the same
    assert fields(page)["cstmobile"] == PHONE
    standin.reset()
    draft = Draft.objects.get()
    form = desk.get(f"{draft.path}?draft={draft.pk}").context["form"]
    assert (form["cstmobile"].value(), form["cstname"].value()) == (PHONE, "Zoe Zebra")
    assert form.touched() == ["cstmobile"]


def test_a_field_that_was_kept_alone_opens_as_the_whole_form(desk, contact, url):
    typed = fields(opened(desk, url), cstmobile=PHONE)
    del typed["token"]
    assert desk.post("/unfinished/keep/", typed).status_code < 300
    draft = Draft.objects.get()
    form = desk.get(f"{draft.path}?draft={draft.pk}").context["form"]
    assert form.touched() == ["cstmobile"]


def test_a_conflict_is_asked_on_the_page_of_the_whole_form(desk, gateway, contact, url, sent):
    typed = fields(opened(desk, url), cstmobile=PHONE)
    gateway.update(CONTACTS, contact, {"cstmobile": "0300", "cstemail": "new@zebra.example"})
    answer = desk.post(url, typed, headers=HTMX)
    assert answer.status_code == 204
    assert "post-whole" in answer["HX-Trigger"]
    page = desk.post(url, typed)  # as in_place.js does then
    assert page.status_code == 409
    assert f"Phone 0100 0300 {PHONE}" in text(page)
    desk.post(url, fields(page, **{"choice-cstmobile": "yours"}))
    assert sent("update")[1:] == [{"cstmobile": PHONE}]


def test_an_unknown_outcome_leads_to_its_page(desk, standin, url):
    typed = fields(opened(desk, url), cstmobile=PHONE)
    standin.fault("reset-after", operation="update", times=1)
    answer = desk.post(url, typed, headers=HTMX)
    assert answer["HX-Redirect"].startswith("/unsure/")


def test_the_form_of_somebody_else_is_posted_as_a_page(
    client_of, with_keys, desk, editor, url, sent
):
    typed = fields(opened(desk, url), cstmobile=PHONE)
    other = client_of(with_keys(editor))
    answer = other.post(url, typed, headers=HTMX)
    assert "post-whole" in answer["HX-Trigger"]
    assert sent("update") == []


@pytest.mark.parametrize("resource", RESOURCES.values(), ids=lambda each: each.name)
def test_a_form_that_is_posted_as_it_opened_touches_nothing(resource, gateway, manager):
    """What completes a field that is posted alone."""
    ctx = RequestContext(gateway=gateway, person=manager, workspace="Acme")
    for record in gateway.list(resource.endpoint).records[:5]:
        kind = resource.edit_form
        held = kind.read(record, ctx.style)
        data = posted_fields(kind(ctx=ctx, opened_with=held))
        assert kind(data, ctx=ctx, opened_with=held).touched() == []
