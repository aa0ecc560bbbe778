"""Two contacts are merged field by field; the other is deleted only if nothing is left with it."""

import pytest
from django.core.cache import cache

from dashboard.gateway import CONTACTS, DEALS, INVOICES, TASKS
from dashboard.writes.models import Write
from tests.helpers import run_worker, text
from tests.page_forms import fields

pytestmark = pytest.mark.django_db

LINE = {"item_id": 501, "item_name": "Work", "quantity": 1, "price": 10, "type": "item"}


@pytest.fixture
def kept(gateway):
    body = {"cstname": "Zoe Zebra", "contact_type": 1, "cstemail": "zoe@zebra.example"}
    return gateway.create(CONTACTS, body).id


@pytest.fixture
def other(gateway):
    body = {"cstname": "Zebra, Zoe", "contact_type": 1, "cstmobile": "+493012345678"}
    return gateway.create(CONTACTS, {**body, "cstaddress": "1 Stripe Street\nGalway"}).id


def url(kept, other):
    return f"/contacts/{kept}/merge/?other={other}"


def merged(client, kept, other, **chosen):
    sent = {**fields(client.get(url(kept, other))), **chosen}
    return client.post(url(kept, other), {name: value for name, value in sent.items() if value})


def choices(page):
    return {one.name: (one.kept, one.other, one.is_other) for one in page.context["choices"]}


def test_only_what_differs_is_chosen_and_what_is_empty_is_taken(desk, kept, other):
    page = desk.get(url(kept, other))
    assert choices(page) == {
        "cstname": ("Zoe Zebra", "Zebra, Zoe", False),
        "cstmobile": ("", "+493012345678", True),
        "cstaddress": ("", "1 Stripe Street\nGalway", True),
    }


def test_values_that_look_the_same_are_no_choice(desk, gateway):
    seen = {"cstname": "O'Brien Ltd", "contact_type": 2, "cstaddress": "1 Quay"}
    other = {**seen, "cstname": "O\u2019Brien\u200b  Ltd", "cstaddress": "1\u00a0Quay\u200e"}
    kept, other = (gateway.create(CONTACTS, each).id for each in (seen, other))
    assert choices(desk.get(url(kept, other))) == {}


def test_what_was_chosen_is_saved_and_the_other_is_deleted(
    desk, kept, other, standin, gateway, sent
):
    answer = merged(desk, kept, other, **{"choice-cstaddress": "kept"})
    assert answer["Location"] == f"/contacts/{kept}/"
    assert sent("update", resource="contacts") == [{"cstmobile": "+493012345678"}]
    page = desk.get(answer["Location"])
    assert "Zebra, Zoe was merged into Zoe Zebra." in text(page)
    assert "Zebra, Zoe" in text(page)  # its toast
    assert not standin.ledger(operation="delete")
    run_worker(after=9)
    [deleted] = standin.ledger(operation="delete", resource="contacts")
    assert deleted["path"].endswith(f"/{other}")
    assert gateway.get(CONTACTS, kept)["cstmobile"] == "+493012345678"


def test_the_other_stays_without_the_tick(desk, kept, other):
    merged(desk, kept, other, delete="")
    assert not Write.objects.filter(operation="delete").exists()


@pytest.mark.parametrize(
    ("endpoint", "body"),
    [
        (INVOICES, {"customer_id": ..., "template_id": 11, "items": [LINE]}),
        (DEALS, {"deal_name": "Stripes", "pipeline_id": 1, "cstid": ...}),
        (TASKS, {"title": "Call", "start_datetime": "2026-03-05T09:00:00", "cstid": ...}),
    ],
)
def test_what_is_left_with_the_other_is_listed_and_keeps_it(
    desk, kept, other, gateway, endpoint, body, sent
):
    body = {name: other if value is ... else value for name, value in body.items()}
    made = gateway.create(endpoint, body).id
    page = desk.get(url(kept, other))
    assert f'href="/{endpoint.name}/{made}/"' in page.content.decode()
    assert 'name="delete"' not in page.content.decode()
    answer = merged(desk, kept, other, delete="1")
    assert sent("update", resource="contacts")
    assert "because it still has records" in text(desk.get(answer["Location"]))
    assert not Write.objects.filter(operation="delete").exists()


def test_what_no_form_can_change_is_shown_as_lost_and_delete_is_not_ticked(desk, kept, gateway):
    more = {"cstnotes": "Pays in cash", "cstsmsnotify": False}
    other = gateway.create(CONTACTS, {"cstname": "Zoe Z", "contact_type": 1, **more}).id
    page = desk.get(url(kept, other))
    lost = {line.label: line.value.words for line in page.context["lost"]}
    assert lost == {"Notes": "Pays in cash", "Notify by SMS": "No"}
    assert 'name="delete" value="1">' in page.content.decode()
    assert "They will be lost if Zoe Z is deleted." in text(page)


def test_what_cannot_be_read_keeps_the_other(desk, kept, other, standin):
    standin.fault("status-503", operation="list", resource="invoices", times=50)
    page = desk.get(url(kept, other))
    assert "couldn't load:" in text(page)
    assert 'name="delete"' not in page.content.decode()


def test_a_contact_that_was_changed_meanwhile_is_shown_again(desk, kept, other, gateway, sent):
    page = desk.get(url(kept, other))
    gateway.update(CONTACTS, other, {"cstmobile": "+493087654321"})
    before = len(sent("update", resource="contacts"))
    answer = desk.post(url(kept, other), {**fields(page), "choice-cstmobile": "other"})
    assert answer.status_code == 409
    assert "has changed. Nothing was saved" in text(answer)
    assert "+493087654321" in text(answer)
    assert len(sent("update", resource="contacts")) == before


def test_pressed_twice_it_is_merged_once(desk, kept, other, sent):
    page = desk.get(url(kept, other))
    typed = {**fields(page), "choice-cstmobile": "other", "choice-cstaddress": "other"}
    for _ in range(2):
        assert desk.post(url(kept, other), typed)["Location"] == f"/contacts/{kept}/"
    assert len(sent("update", resource="contacts")) == 1
    assert Write.objects.filter(operation="delete").count() == 1


def test_a_refusal_keeps_the_choices_and_deletes_nothing(desk, kept, other, standin):
    standin.fault("status-422", operation="update", resource="contacts")
    answer = merged(desk, kept, other, **{"choice-cstname": "other"})
    assert answer.status_code == 422
    assert choices(answer)["cstname"][2]
    assert not Write.objects.filter(operation="delete").exists()


def test_an_unknown_outcome_deletes_nothing(desk, kept, other, standin):
    standin.fault("reset-after", operation="update", resource="contacts")
    answer = merged(desk, kept, other)
    assert answer["Location"].startswith("/unsure/")
    assert not Write.objects.filter(operation="delete").exists()


def test_nothing_of_the_other_sends_no_update(desk, kept, gateway, sent):
    same = {"cstname": "Zoe Zebra", "contact_type": 1}
    answer = merged(desk, kept, gateway.create(CONTACTS, same).id)
    assert answer["Location"] == f"/contacts/{kept}/"
    assert not sent("update", resource="contacts")
    assert Write.objects.filter(operation="delete").count() == 1


@pytest.mark.parametrize(
    ("kept_has", "other_has", "kept_name", "other_name"),
    [
        ({"cstemail": "z@a.eu"}, {"cstemail": "z@b.eu"}, "Zoe (z@a.eu)", "Zoe (z@b.eu)"),
        ({"cstemail": "z@a.eu"}, {"cstmobile": "0302"}, "Zoe (z@a.eu)", "Zoe (#2)"),
        ({}, {"cstname": "zoe", "cstmobile": "0302"}, "Zoe (#1)", "zoe (0302)"),
        ({}, {}, "Zoe (#1)", "Zoe (#2)"),
        ({}, {"cstname": "Zoe Z"}, "Zoe", "Zoe Z"),
    ],
)
def test_two_of_the_same_name_are_told_apart(
    desk, gateway, kept_has, other_has, kept_name, other_name
):
    body = {"cstname": "Zoe", "contact_type": 1}
    kept, other = (gateway.create(CONTACTS, {**body, **has}).id for has in (kept_has, other_has))
    kept_name, other_name = (
        name.replace("#1", f"#{kept}").replace("#2", f"#{other}")
        for name in (kept_name, other_name)
    )
    words = text(desk.get(url(kept, other)))
    assert f"Merge {other_name} into {kept_name}" in words
    assert f"Delete {other_name} (" in words
    said = text(desk.get(merged(desk, kept, other)["Location"]))
    assert f"{other_name} was merged into {kept_name}." in said


def test_who_may_not_delete_merges_only(editor, client_of, with_keys, kept, other):
    client = client_of(with_keys(editor))
    assert 'name="delete"' not in client.get(url(kept, other)).content.decode()
    merged(client, kept, other, delete="1")
    assert not Write.objects.filter(operation="delete").exists()


def test_the_other_is_looked_for(desk, kept, other, gateway):
    twin = gateway.create(CONTACTS, {"cstname": "Zoe Zebra", "contact_type": 1}).id
    cache.clear()
    page = desk.get(f"/contacts/{kept}/merge/").content.decode()
    assert f"other={twin}" in page
    assert f"other={kept}" not in page
    assert 'name="search" value=""' in page  # another name is typed into it
    found = desk.get(f"/contacts/{kept}/merge/", {"search": "Zebra,"}).content.decode()
    assert f"other={other}" in found
    assert f'href="/contacts/{kept}/merge/"' in desk.get(f"/contacts/{kept}/").content.decode()


def test_a_contact_is_not_merged_with_itself(desk, kept):
    assert desk.get(url(kept, kept)).status_code == 404
    assert desk.get(url(kept, 99_999_999)).status_code == 404


def test_a_tick_that_was_taken_away_stays_away_when_the_service_refuses(desk, kept, other, standin):
    typed = fields(desk.get(url(kept, other)))
    del typed["delete"]
    standin.fault("status-422", operation="update")
    page = desk.post(url(kept, other), {**typed, "choice-cstmobile": "other"})
    assert page.status_code == 422
    assert "delete" not in fields(page)
