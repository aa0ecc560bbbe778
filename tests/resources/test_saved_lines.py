"""Entries in one line that are saved without opening their form."""

import html
import re
from urllib.parse import quote

import pytest

from dashboard.gateway import CONTACTS, LEADS
from dashboard.writes.models import Draft, Write
from tests.helpers import text
from tests.page_forms import fields

pytestmark = pytest.mark.django_db


def send_line(desk, line, **typed):
    """Submit the second button of an entry in one line, as its page shows it."""
    page = desk.get("/search/", {"q": line}).content.decode()
    form = re.search(r'<form method="post" action="([^"]+)">(.+?)</form>', page, re.S)
    sent = dict(re.findall(r'name="(\w+)" value="([^"]*)"', form[2]))
    return desk.post(html.unescape(form[1]), {**sent, **typed}, follow=True), sent["token"]


def test_a_line_where_nothing_is_missing_is_saved_at_once(desk, sent):
    page, token = send_line(desk, "+lead Zoe Zebra zoe@zebra.example, met in Berlin")
    assert "Lead Zoe Zebra was created" in text(page)
    [body] = sent("create")
    assert body == {
        "cstname": "Zoe Zebra",
        "cstemail": "zoe@zebra.example",
        "cstnotes": "met in Berlin",
    }
    assert Write.objects.get().token == token
    assert not Draft.objects.exists()


def test_a_line_where_something_is_missing_opens_the_form_filled_and_says_what(desk, sent):
    page, _ = send_line(desk, "+lead zoe@zebra.example")
    assert page.status_code == 422
    assert page.context["form"]["cstemail"].value() == "zoe@zebra.example"
    assert page.context["form"].errors.keys() == {"cstname"}
    assert "<title>Error: New lead" in page.content.decode()
    assert sent("create") == []
    [draft] = Draft.objects.all()
    again = desk.get(f"{draft.path}?draft={draft.pk}").context["form"]
    assert again["cstemail"].value() == "zoe@zebra.example"


def test_a_line_of_a_person_who_is_there_is_not_saved_before_that_is_told(desk, gateway, sent):
    gateway.create(LEADS, {"cstname": "Zoe Zebra", "cstemail": "zoe@zebra.example"})
    page, _ = send_line(desk, "+contact Zoe zoe@zebra.example")
    assert "Not saved yet. This may be a duplicate" in text(page)
    assert "This email is already there: lead Zoe Zebra" in text(page)
    assert len(sent("create")) == 1
    data = {**fields(page), "contact_type": "1"}
    assert "was created" in text(desk.post("/contacts/new/", data, follow=True))


def test_a_line_that_cannot_be_sent_is_kept(desk, standin):
    standin.fault("status-429", operation="create", times=1)
    page, _ = send_line(desk, "+lead Zoe zoe@zebra.example")
    assert page.status_code == 503
    assert page.context["form"]["cstemail"].value() == "zoe@zebra.example"
    [draft] = Draft.objects.all()
    assert draft.discarded_at is None


@pytest.mark.parametrize(
    ("line", "resource", "expected"),
    [
        ('+task call @"Acorn Zebra Ltd" tomorrow 15:00 !high', "tasks", {"priority": 3}),
        ("+contact Acorn Oak GmbH info@acorn.example", "contacts", {"contact_type": 2}),
    ],
)
def test_every_kind_of_line_is_saved_as_its_form_would_be(
    desk, gateway, standin, line, resource, expected, lists
):
    gateway.create(CONTACTS, {"cstname": "Acorn Zebra Ltd", "contact_type": 2})
    before = len(standin.ledger(operation="create", resource=resource))
    found = desk.get(f"/search/?q={quote(line)}").content.decode()
    address = re.search(r'action="(/\w+/new/[^"]+)"', found)[1]
    begun = fields(desk.get(html.unescape(address)))
    page, _ = send_line(desk, line)
    ours = standin.ledger(operation="create", resource=resource)[before:]
    desk.post(html.unescape(address), begun, follow=True)
    typed = standin.ledger(operation="create", resource=resource)[before + len(ours) :]
    assert len(ours) == 1
    assert [one["body"] for one in ours] == [one["body"] for one in typed], text(page)
    for name, value in expected.items():
        assert ours[0]["body"][name] == value


def test_a_line_sent_unseen_takes_a_business_only_by_its_whole_name(desk, gateway, sent):
    acorn = gateway.create(CONTACTS, {"cstname": "Acorn Zebra Ltd", "contact_type": 2}).id
    send_line(desk, '+contact Zoe Fast @"Acorn Zebra"')
    send_line(desk, '+contact Zoe Fast @"acorn  zebra ltd"')
    assert [body.get("contact_parent") for body in sent("create")[1:]] == [acorn]
