"""The page of a user's own key pair: typed keys, their test, storage and display."""

import re
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.contrib.sessions.models import Session
from django.test import Client
from django.views.debug import ExceptionReporter

from dashboard.gateway import Keys
from dashboard.people import keys
from dashboard.people.models import KeyPair, User, Workspace
from tests.conftest import PASSWORD
from tests.helpers import encryption_key
from tests.workspaces import connect, of_name

URL = "/settings/keys/"
ACCESS, SECRET = "access0123456789", "hidden9876543210"


@pytest.fixture
def clerk(viewer, client_of) -> Client:
    return client_of(viewer)


@pytest.fixture
def connected(viewer) -> KeyPair:
    return connect(viewer, access=ACCESS, secret=SECRET, workspace="Acme")


@pytest.fixture
def works(standin) -> dict[str, str]:
    """What is typed of a pair that the stand-in accepts."""
    access, secret = standin.keys["acme"][0]
    return {"access": access, "secret": secret}


@pytest.fixture
def others(standin) -> dict[str, str]:
    """Another pair of the same workspace."""
    access, secret = standin.keys["acme"][1]
    return {"access": access, "secret": secret}


def submit(clerk: Client, button: str, url: str = URL, **typed: str):
    values = {"access": ACCESS, "secret": SECRET, "workspace": "Acme", **typed}
    return clerk.post(url, {**values, "action": button})


def confirm(client: Client) -> None:
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})


def stored(user) -> Keys | None:
    return keys.keys_for(User.objects.get(pk=user.pk))


def results(response) -> dict[str, str]:
    rows = re.findall(
        r'<th scope="row">(\w+)</th>\s*<td[^>]*><span[^>]*>([^<]*)<', response.content.decode()
    )
    return dict(rows)


def test_saving_stores_the_pair_and_shows_the_last_four_characters(clerk, viewer, works):
    typed = {**works, "workspace": "Acme", "action": "save"}
    clerk.post(URL, typed)
    page = clerk.get(URL).content.decode()
    assert stored(viewer) == Keys(**works)
    assert "Acme" in page
    for key in works.values():
        assert f"ends in {key[-4:]}" in page
        assert key not in page


def test_refused_keys_are_not_saved_and_the_page_says_why(clerk, viewer, standin):
    response = submit(clerk, "save")
    page = response.content.decode()
    assert response.status_code == 422
    assert "The CRM rejected these keys, so they were not saved." in page
    assert f'value="{ACCESS}"' in page
    assert stored(viewer) is None
    assert "connected" not in page


def test_refused_keys_do_not_replace_a_stored_pair(clerk, viewer, connected, standin):
    confirm(clerk)
    submit(clerk, "save", f"{URL}replace/", access="another-access-key")
    assert stored(viewer) == Keys(access=ACCESS, secret=SECRET)


def test_saving_says_which_areas_the_plan_lacks(clerk, viewer, standin):
    access, secret = standin.keys["solo"][0]
    submit(clerk, "save", access=access, secret=secret)
    page = " ".join(clerk.get(URL).content.decode().split())
    assert "plan does not include Deals, Estimates, Invoices, Leads" in page


@pytest.mark.parametrize("kind", ["status-503", "status-401-html", "status-403-empty"])
def test_without_an_answer_nothing_is_saved_or_begun_and_what_was_typed_stays(
    clerk, viewer, standin, works, kind
):
    standin.fault(kind)  # two of them are refusals of a proxy, not of the service
    response = submit(clerk, "save", **works)
    page = response.content.decode()
    assert response.status_code == 422
    assert "tell which workspace these keys belong to" in page
    assert "begin a new workspace" not in page
    assert all(f'value="{typed}"' in page for typed in (*works.values(), "Acme"))
    assert stored(viewer) is None
    assert not Workspace.objects.exists()


def test_without_an_answer_stored_keys_are_not_replaced(clerk, viewer, standin, works, others):
    connect(viewer, **works, workspace="Acme")
    confirm(clerk)
    standin.fault("status-503")
    response = submit(clerk, "save", f"{URL}replace/", **others)
    assert response.status_code == 422
    assert "tell which workspace these keys belong to" in response.content.decode()
    assert stored(viewer) == Keys(**works)


def test_a_name_that_a_workspace_has_is_refused_beside_its_field(clerk, viewer, works):
    of_name("ACME")
    response = submit(clerk, "save", **works, workspace=" Acme  ")
    field = response.context["form"]["workspace"]
    assert response.status_code == 422
    assert "ask its administrator to add you" in field.errors[0]
    assert stored(viewer) is None
    assert Workspace.objects.count() == 1


def test_white_space_and_invisible_characters_are_removed(clerk, viewer, works):
    access, secret = works.values()
    spaced = {
        "access": f" \ufeff{access[:5]}\u200b{access[5:]}\n",
        "secret": f"\u00a0{secret}\u2060 \t",
    }
    submit(clerk, "save", **spaced)
    assert stored(viewer) == Keys(**works)


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ({"access": ""}, "Enter the access key."),
        ({"secret": " \u200b "}, "Enter the secret key."),
        ({"secret": ACCESS}, "This is the access key."),
        ({"access": "ключ123"}, "used in keys. Copy the key again"),
        ({"secret": "se\x07cret12"}, "used in keys. Copy the key again"),
    ],
)
def test_invalid_input_gets_an_error_and_stays_in_the_form(clerk, viewer, typed, words):
    response = submit(clerk, "save", **typed)
    page = response.content.decode()
    assert response.status_code == 422
    assert words in page
    assert stored(viewer) is None
    kept = typed.get("workspace", "Acme"), typed.get("access", ACCESS)
    assert all(f'value="{value}"' in page for value in kept if value)


def test_the_form_to_replace_a_pair_is_empty(clerk, connected):
    confirm(clerk)
    page = clerk.get(f"{URL}replace/").content.decode()
    assert ACCESS not in page
    assert SECRET not in page


@pytest.mark.parametrize("page", ["replace", "remove"])
def test_a_page_that_changes_the_keys_asks_who_it_is_when_it_is_opened(clerk, connected, page):
    asked = clerk.get(f"{URL}{page}/")["Location"]
    assert asked.startswith("/accounts/reauthenticate/")
    answer = clerk.post(asked, {"password": PASSWORD, "next": f"{URL}{page}/"}, follow=True)
    assert answer.redirect_chain[-1][0] == f"{URL}{page}/"
    with time_machine.travel(datetime.now(UTC) + timedelta(minutes=40)):
        assert clerk.get(f"{URL}{page}/")["Location"].startswith("/accounts/reauthenticate/")


@pytest.mark.parametrize("action", ["save", "test"])
def test_keys_that_are_sent_too_late_are_in_no_session_and_change_nothing(
    clerk, viewer, connected, works, action
):
    answer = submit(clerk, action, f"{URL}replace/", **works)
    assert answer["Location"] == f"{URL}replace/"
    assert clerk.get(answer["Location"])["Location"].startswith("/accounts/reauthenticate/")
    sessions = [str(each.get_decoded()) for each in Session.objects.all()]
    assert sessions
    assert not any(key in words for words in sessions for key in works.values())
    assert stored(viewer) == Keys(access=ACCESS, secret=SECRET)


def test_a_confirmed_person_replaces_and_removes_the_keys(clerk, viewer, connected, works):
    confirm(clerk)
    submit(clerk, "save", f"{URL}replace/", **works)
    assert stored(viewer) == Keys(**works)
    assert "Acme" in clerk.get(f"{URL}remove/").content.decode()
    clerk.post(f"{URL}remove/")
    assert stored(viewer) is None


def test_keys_are_not_removed_by_whoever_has_not_confirmed_it(clerk, viewer, connected):
    assert clerk.post(f"{URL}remove/")["Location"] == f"{URL}remove/"
    assert stored(viewer)


def test_a_second_press_of_the_first_connection_shows_the_pair(clerk, viewer, works):
    submit(clerk, "save", **works)
    assert submit(clerk, "save", **works)["Location"] == URL
    assert stored(viewer) == Keys(**works)


def test_an_unreadable_pair_shows_the_form(clerk, viewer, connected, works, settings):
    settings.FIELD_ENCRYPTION_KEYS = [encryption_key()]
    confirm(clerk)
    page = clerk.get(URL, follow=True).content.decode()
    assert "Enter them again" in page
    submit(clerk, "save", f"{URL}replace/", **works)
    assert stored(viewer) == Keys(**works)


@pytest.mark.parametrize("url", ["/contacts/", "/"])
def test_the_warning_ends_as_soon_as_the_service_accepts_the_keys(desk, manager, url):
    keys.store_refusal(manager)
    assert "The CRM rejected your API keys" in desk.get("/help/").content.decode()
    assert "The CRM rejected your API keys" not in desk.get(url).content.decode()
    assert "The CRM rejected your API keys" not in desk.get("/help/").content.decode()


@pytest.mark.parametrize("url", ["/", "/figures/", "/contacts/"])
def test_a_page_that_was_refused_says_so_once_and_leads_to_the_keys(desk, manager, standin, url):
    keys.store_refusal(manager)
    standin.fault("status-401")
    page = desk.get(url).content.decode()
    assert "They may have been revoked." not in page
    assert len(re.findall("<(?:b|h1)>The CRM rejected your API keys<", page)) == 1
    assert "Go to Connection" in page


def test_typed_keys_are_tested_without_saving(clerk, viewer, standin):
    access, secret = standin.keys["acme"][0]
    response = submit(clerk, "test", access=access, secret=secret, workspace="")
    assert results(response) == dict.fromkeys(
        ["Contacts", "Leads", "Deals", "Tasks", "Estimates", "Invoices"], "works"
    )
    page = response.content.decode()
    assert f'value="{access}"' in page
    assert f'value="{secret}"' in page
    assert stored(viewer) is None


def test_the_test_sends_one_list_request_for_each_area(clerk, standin):
    access, secret = standin.keys["acme"][0]
    before = len(standin.ledger())
    submit(clerk, "test", access=access, secret=secret)
    asked = standin.ledger()[before:]
    assert len(asked) == 6
    assert {entry["operation"] for entry in asked} == {"list"}


def test_swapped_keys_are_detected(clerk, standin):
    access, secret = standin.keys["acme"][0]
    response = submit(clerk, "test", access=secret, secret=access)
    assert "the wrong way round" in response.content.decode()


def test_a_hanging_service_is_reported_as_unreachable(clerk, standin, settings):
    settings.API_TIMEOUT = 0.3
    standin.fault("hang")
    access, secret = standin.keys["acme"][0]
    page = submit(clerk, "test", access=access, secret=secret).content.decode()
    assert page.count("In all areas: The CRM isn&#39;t answering.") == 1


def test_the_test_of_a_stored_pair_stores_its_refusal(clerk, viewer, standin, connected):
    page = clerk.post(URL, {"action": "test-stored"}).content.decode()
    assert page.count("The CRM rejected these keys.") == 1
    assert KeyPair.objects.get().refused


def test_a_test_that_succeeds_removes_the_refusal(clerk, viewer, standin):
    access, secret = standin.keys["acme"][0]
    connect(viewer, access=access, secret=secret, workspace="Acme")
    keys.store_refusal(viewer)
    clerk.post(URL, {"action": "test-stored"})
    assert not KeyPair.objects.get().refused


@pytest.mark.parametrize("debug", [True, False])
def test_an_error_report_contains_no_keys(viewer, connected, monkeypatch, settings, caplog, debug):
    settings.DEBUG = debug
    clerk = Client(raise_request_exception=False)
    clerk.force_login(viewer)
    confirm(clerk)

    def fail(*args: object, **kwargs: object) -> None:
        raise RuntimeError("no")

    monkeypatch.setattr(KeyPair.objects, "update_or_create", fail)
    monkeypatch.setattr("dashboard.people.keys.Gateway", fail)
    for response in (
        submit(clerk, "save", f"{URL}replace/"),
        submit(clerk, "test", f"{URL}replace/"),
        clerk.post(URL, {"action": "test-stored"}),
    ):
        assert response.status_code == 500
        reporter = ExceptionReporter(response.wsgi_request, *response.exc_info)
        report = reporter.get_traceback_html() + reporter.get_traceback_text()
        assert "RuntimeError" in report
        for hidden in (ACCESS, SECRET):
            assert hidden not in report + response.content.decode() + caplog.text


def test_areas_outside_the_plan_leave_the_menu_and_return(clerk, viewer, standin):
    access, secret = standin.keys["solo"][0]
    connect(viewer, access=access, secret=secret, workspace="Solo")
    assert 'href="/invoices/"' in clerk.get(URL).content.decode()
    page = clerk.post(URL, {"action": "test-stored"}).content.decode()
    assert "plan does not include Deals, Estimates, Invoices, Leads" in page
    assert 'href="/invoices/"' not in page
    assert 'href="/contacts/"' in page
    there = clerk.get("/invoices/").content.decode()
    assert "Not in your plan" in there
    assert 'href="/invoices/"' in there
    access, secret = standin.keys["acme"][0]
    connect(viewer, access=access, secret=secret, workspace="Solo")
    assert 'href="/invoices/"' in clerk.get(URL).content.decode()


def test_an_area_without_an_answer_keeps_its_place_in_the_menu(viewer, connected):
    for opened, closed, found in (
        ([], ["deals", "leads"], ["deals", "leads"]),
        (["leads"], [], ["deals"]),
        (["contacts"], [], ["deals"]),
        (["deals"], [], []),
    ):
        keys.store_closed_areas(viewer, open_areas=opened, closed=closed)
        assert KeyPair.objects.get().closed_areas == found
