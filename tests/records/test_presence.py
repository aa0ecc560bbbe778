"""Who has a record open is shown only to people who read it with keys of the same workspace."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from dashboard.gateway import CONTACTS
from tests.helpers import text
from tests.workspaces import connect


@pytest.fixture
def url(gateway) -> str:
    contact = gateway.create(CONTACTS, {"cstname": "Zebra Ltd", "contact_type": 2}).id
    return f"/contacts/{contact}/edit/"


def beat(client, page):
    return client.post("/unfinished/open/", {"room": page.context["presence"]["room"]})


def test_two_people_with_the_same_record_open_see_each_others_names(
    desk, url, client_of, with_keys, editor
):
    mine = desk.get(url)
    theirs = client_of(with_keys(editor)).get(url)
    assert "max has this open." in text(theirs)
    assert beat(desk, mine).json() == {"others": "edith has this open."}


def test_own_name_is_not_shown_and_absent_people_expire(desk, url, client_of, with_keys, editor):
    client_of(with_keys(editor)).get(url)
    with time_machine.travel(timezone.now() + timedelta(seconds=90)):
        assert beat(desk, desk.get(url)).json() == {"others": ""}


def test_equal_records_of_other_workspaces_have_separate_rooms(
    desk, url, client_of, editor, standin, with_keys
):
    desk.get(url)
    with_keys(editor)
    editor.key_pair.delete()
    access, secret = standin.keys["acme"][0]
    connect(editor, access=access, secret=secret, workspace="Globex")
    assert "has this open" not in text(client_of(editor).get(url))


def test_a_heartbeat_requires_the_persons_own_signed_room(desk, url, client_of, with_keys, editor):
    page = desk.get(url)
    assert beat(client_of(with_keys(editor)), page).status_code == 400
    assert desk.post("/unfinished/open/", {"room": "forged"}).status_code == 400
