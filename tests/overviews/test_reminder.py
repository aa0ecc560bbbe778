"""A reminder of overdue invoices is opened in the office's words, and noted as opened, not sent."""

from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.cache import cache
from django.utils import timezone

from dashboard.documents import reminders
from dashboard.gateway import INVOICES
from dashboard.writes.models import Event
from tests.helpers import text

pytestmark = pytest.mark.django_db


@pytest.fixture
def number(gateway):
    return lambda record_id: gateway.get(INVOICES, record_id)["inv_number"]


def reminder_of(client, customer, query=""):
    return client.get(f"/contacts/{customer}/statement/{query}").context["reminder"]


def opened(client, customer, query="", **typed):
    shown = reminder_of(client, customer, query)
    fields = {name: shown.form.initial[name] or "" for name in ("to", "subject", "text")}
    return client.post(shown.url, {**fields, **typed})


def test_all_that_is_overdue_is_in_the_text(desk, customer, invoice, number):
    late, later, due = invoice(61, 2450), invoice(12, 416), invoice(-3, 99)
    shown = reminder_of(desk, customer)
    text_of = shown.form.initial["text"]
    assert shown.form.initial["to"] == "pay@quarry.example"
    assert text_of.index(number(late)) < text_of.index(number(later))
    assert number(due) not in text_of
    assert "2,866.00" in text_of
    assert "Hello Quarry Bakery," in text_of
    assert "{" not in text_of + shown.form.initial["subject"]


def test_one_invoice_is_reminded_of_alone(desk, customer, invoice, number):
    late, other = invoice(61, 2450), invoice(12, 416)
    text_of = reminder_of(desk, customer, f"?invoice={late}").form.initial["text"]
    assert number(late) in text_of
    assert number(other) not in text_of
    page = desk.get(f"/invoices/{late}/").content.decode()
    assert f'href="/contacts/{customer}/statement/?invoice={late}#remind"' in page
    assert page.index('data-key-label="Reminder"') < page.index('data-key-label="Edit"')  # the main


def test_an_opened_reminder_is_noted_and_the_next_is_sterner(desk, customer, invoice, number):
    late = invoice(10, 100)
    answer = opened(desk, customer, to="b@c.example", subject="A & B", text="One\nTwo")
    link = urlsplit(answer.context["reminder"].mail_link)
    assert (link.scheme, link.path) == ("mailto", "b@c.example")
    assert parse_qs(link.query) == {"subject": ["A & B"], "body": ["One\r\nTwo"]}
    assert link.geturl() in answer.content.decode().replace("&amp;", "&")
    words = f"Reminder opened: Friendly, {number(late)}, 100.00"
    assert words in text(desk.get(f"/contacts/{customer}/"))
    assert "sent" not in text(desk.get(f"/contacts/{customer}/history/")).lower()
    assert "Reminder opened" in text(desk.get(f"/contacts/{customer}/history/"))
    shown = reminder_of(desk, customer)
    assert (shown.tone, shown.reason) == ("second", "Friendly reminder opened today.")
    assert reminder_of(desk, customer, "?tone=last").tone == "last"


def test_a_posted_line_feed_ends_no_line_of_the_mails_head(desk, customer, invoice):
    invoice(10, 100)
    lines = {"to": "b@c.example\r\nX: 1", "subject": "A\nBcc: d@e.example", "text": "One"}
    assert "%0" not in opened(desk, customer, **lines).context["reminder"].mail_link


def test_what_was_typed_is_not_kept(desk, customer, invoice):
    invoice(10, 100)
    opened(desk, customer, text="Quokka")
    [event] = Event.objects.filter(operation="remind")
    assert "Quokka" not in str(event.changes)


def test_a_reminder_is_noted_once_though_it_is_pressed_twice(desk, customer, invoice):
    invoice(10, 100)
    shown = reminder_of(desk, customer)
    for _ in range(2):
        desk.post(shown.url, {"to": "", "subject": "S", "text": "T"})
    assert Event.objects.filter(operation="remind").count() == 1


def row_of(desk, url):
    """The row of Today about a customer's overdue invoices."""
    cache.clear()
    left = {panel.name: panel for panel in desk.get("/").context["sides"]["left"]}
    rows = {row.about.url: row for row in left["overdue"].rows}
    return rows[url]


def test_today_says_when_an_invoice_was_reminded_of(desk, customer, invoice):
    late = invoice(4000, 900_000)
    url, reminder = f"/invoices/{late}/", f"/contacts/{customer}/statement/"
    assert row_of(desk, url).note == ""
    opened(desk, customer, f"?invoice={late}")
    row = row_of(desk, url)
    assert (row.due_text, row.note) == ("4,000 days overdue", "reminded today")
    assert (row.actions[0].key, row.actions[0].url) == ("r", f"{reminder}?invoice={late}")
    invoice(3999, 50_000)
    row = row_of(desk, f"/invoices/?due=overdue&cstid={customer}")
    assert row.note == "reminded today"
    assert row.actions[0].url == reminder  # of both


def test_the_last_tone_is_followed_by_itself_and_other_invoices_begin_friendly():
    at = timezone.now()
    last = [reminders.PreviousReminder(1, "last", ("I-1",), "", at, "edith")]
    assert reminders.next_tone(last, ["I-1", "I-2"]) == "last"
    assert reminders.next_tone(last, ["I-2"]) == "friendly"
    assert reminders.next_tone([], ["I-2"]) == "friendly"


def test_an_empty_text_is_told_beside_its_field(desk, customer, invoice):
    invoice(10, 100)
    answer = opened(desk, customer, text=" ")
    assert answer.status_code == 422
    assert answer.context["reminder"].form.errors["text"]
    assert not Event.objects.exists()


def test_nothing_overdue_has_no_reminder(desk, customer, invoice):
    invoice(-3, 99)
    assert reminder_of(desk, customer) is None
    answer = desk.post(f"/contacts/{customer}/remind/", {"subject": "S", "text": "T"}, follow=True)
    assert "This customer has nothing overdue." in text(answer)


@pytest.fixture
def boss(administrator, client_of, with_keys):
    return client_of(with_keys(administrator))


def test_the_office_writes_the_texts(boss, customer, invoice):
    invoice(10, 100)
    page = boss.get("/settings/reminders/")
    fields = dict(page.context["form"].initial)
    fields["friendly_text"] = "Dear {customer}, {amount} since {days}. {"
    assert boss.post("/settings/reminders/", fields).status_code == 302
    shown = reminder_of(boss, customer).form.initial["text"]
    assert shown == "Dear Quarry Bakery, 100.00 since 10 days. {"
    fields["last_subject"] = "{custmer}"
    refused = boss.post("/settings/reminders/", fields)
    assert "{custmer} isn" in text(refused)
    assert refused.context["form"]["friendly_text"].value() == fields["friendly_text"]
