"""A sign-in ends when nobody uses it, and at the latest after SESSION_LIFETIME."""

from datetime import timedelta

import pytest
import time_machine
from allauth.mfa.models import Authenticator
from allauth.mfa.signals import authenticator_removed
from django.contrib.sessions.models import Session
from django.test import RequestFactory
from django.utils import timezone

from tests.signing_in import browser_of, is_signed_in

IDLE, LIFETIME = 45 * 60, 12 * 60 * 60
SESSION = "/accounts/session/"


@pytest.fixture
def now():
    with time_machine.travel(timezone.now(), tick=False) as traveller:
        yield traveller


def test_a_sign_in_that_nobody_uses_ends_after_45_minutes(viewer, now):
    browser = browser_of(viewer)
    now.shift(IDLE - 5)
    assert is_signed_in(browser)
    now.shift(IDLE - 5)
    assert is_signed_in(browser)
    now.shift(IDLE + 5)
    assert not is_signed_in(browser)


def test_a_sign_in_in_use_ends_after_12_hours(viewer, now):
    browser = browser_of(viewer)
    for _ in range(LIFETIME // 1800 - 1):
        now.shift(1800)
        assert is_signed_in(browser)
    now.shift(1800)
    assert not is_signed_in(browser)
    assert not Session.objects.exists()


def test_staying_signed_in_does_not_renew_for_ever(viewer, now):
    browser = browser_of(viewer)
    for _ in range(LIFETIME // 1800 - 1):
        now.shift(1800)
        answer = browser.post(SESSION)
        assert answer.status_code == 200
    told = answer.json()
    assert told["seconds"] == told["last"] == 1800
    now.shift(1801)
    assert browser.post(SESSION).status_code == 401
    assert browser.get(SESSION).json()["person"] is None


def test_staying_signed_in_begins_the_idle_time_anew(viewer, now):
    browser = browser_of(viewer)
    now.shift(1800)
    assert browser.get(SESSION).json()["seconds"] == IDLE - 1800
    assert browser.post(SESSION).json()["seconds"] == IDLE


@pytest.mark.parametrize("headers", [{"X-Background": "1"}])
def test_what_a_page_asks_by_itself_is_no_use(viewer, now, headers):
    browser = browser_of(viewer)
    now.shift(IDLE - 5)
    browser.get("/accounts/", headers=headers)
    browser.get(SESSION)
    now.shift(10)
    assert not is_signed_in(browser)


def test_a_sign_in_in_use_is_written_once_a_minute(viewer, now, django_assert_num_queries):
    browser = browser_of(viewer)
    ends = Session.objects.get().expire_date
    now.shift(30)
    is_signed_in(browser)
    assert Session.objects.get().expire_date == ends
    now.shift(31)
    is_signed_in(browser)
    assert Session.objects.get().expire_date - ends == timedelta(seconds=61)


def test_the_cookie_ends_with_the_browser(viewer):
    browser = browser_of(viewer)
    assert browser.cookies["sessionid"]["max-age"] == ""
    browser.post(SESSION)
    assert browser.cookies["sessionid"]["max-age"] == ""


def test_a_change_of_the_second_step_ends_the_other_sessions(viewer):
    here, elsewhere = browser_of(viewer), browser_of(viewer)
    request = RequestFactory().get("/")
    request.session = here.session
    authenticator_removed.send(sender=Authenticator, request=request, user=viewer)
    assert is_signed_in(here)
    assert not is_signed_in(elsewhere)
