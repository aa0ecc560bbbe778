"""A failure is worded by what happened, and the service is quoted only for what it said."""

import pytest

from dashboard.gateway import GatewayError, OutcomeUnknown, Paused, Rejected, Unavailable
from dashboard.gateway.errors import NO_ANSWER, Missing
from dashboard.reader.failures import describe, in_words
from dashboard.schema.fields import TextField
from dashboard.writes.models import Write
from tests.helpers import text
from tests.page_forms import fields


def created(desk, name="Zebra"):
    """Save a new contact; returns what its form sent and the page that it leads to."""
    typed = {**fields(desk.get("/contacts/new/")), "cstname": name}
    return typed, desk.post("/contacts/new/", typed, follow=True)


@pytest.mark.parametrize(
    "kind",
    ["status-403-html", "status-413-html", "status-499-empty", "status-404-empty"],
)
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_proxys_refusal_of_a_write_is_not_sure(desk, standin, kind, when):
    standin.fault(f"{kind}-{when}", operation="create", times=1)
    _, page = created(desk)
    assert "/unsure/" in page.redirect_chain[0][0]
    (entry,) = standin.ledger(operation="create")
    assert entry["effect"] == (when == "after")
    assert "The CRM says" not in text(page)
    assert "The CRM rejected your API keys" not in text(desk.get("/accounts/"))


@pytest.mark.parametrize("kind", ["status-401-message", "status-401-empty", "status-429-empty"])
def test_a_write_that_was_stopped_on_the_way_is_not_saved_and_can_be_saved_again(
    desk, standin, kind
):
    standin.fault(f"{kind}-before", operation="create", times=1)
    _, page = created(desk)
    assert [write.state for write in Write.objects.all()] == [Write.State.NOT_SAVED]
    assert "The CRM rejected your API keys" not in text(desk.get("/accounts/"))
    again = desk.post("/contacts/new/", fields(page), follow=True)
    assert "Contact Zebra was created" in text(again)


@pytest.mark.parametrize("kind", ["status-403-html", "status-401-message", "status-404-empty"])
def test_a_proxys_refusal_of_a_read_is_not_quoted(desk, standin, kind):
    standin.fault(kind, operation="list")
    page = desk.get("/contacts/")
    assert "The CRM didn't answer properly" in text(page)
    assert "cannot be reached" not in text(page)
    assert "The CRM says" not in text(page)
    assert "Forbidden by gateway" not in text(page)


def test_every_write_carries_the_token_of_its_form(desk, standin):
    typed, _ = created(desk)
    (entry,) = standin.ledger(operation="create")
    assert entry["idempotency_key"] == typed["token"]


def test_a_page_says_that_calls_are_paused(desk, standin):
    standin.fault("status-500")
    for _ in range(6):
        page = desk.get("/contacts/")
    assert page.status_code == 503
    assert "The CRM is not answering" in text(page)
    assert "clear answer" not in text(page)


def test_a_service_that_stays_silent_is_not_said_to_have_answered():
    said = describe(Unavailable(reason=NO_ANSWER))
    assert said.title == describe(Paused()).title
    assert describe(Unavailable(status=502, reason="unreadable")).title != said.title


def test_fields_are_named_by_their_labels():
    error = Rejected(fields={"start_datetime": ["Not a date."], "made_up": ["Wrong."]})
    words = in_words(error, {"start_datetime": TextField(label="Start")})
    assert "Start: Enter a date." in words
    assert "made_up" not in words
    assert "start_datetime" not in words


def test_only_the_services_own_message_is_a_detail():
    own = describe(Rejected(fields={"search": ["This text cannot be searched for."]}, sent=False))
    assert (own.title, own.details) == ("Not sent", ())
    assert own.text == "This text cannot be searched for."
    assert describe(Rejected("The name is taken.", status=422)).details == ["The name is taken."]
    assert describe(Paused(reason="paused")).title != describe(Unavailable()).title


@pytest.mark.parametrize("error", [Paused(), Missing(), OutcomeUnknown(), Rejected(sent=False)])
def test_every_failure_has_words(error: GatewayError):
    assert describe(error).title
    assert in_words(error)
