"""Access to every address, for anonymous users; `test_access_matrix` has the roles and methods.

A test fails for a new address that EXPECTED lacks.
"""

import pytest
from django.test import Client
from django.urls import NoReverseMatch, URLResolver, get_resolver, reverse

from dashboard.people import permissions as may

PUBLIC = "public"
SIGNED_IN = "signed in"

RESOURCES = ("contacts", "leads", "deals", "tasks", "estimates", "invoices")
OF_EACH_RESOURCE = {
    "list": may.VIEW_RECORDS,
    "detail": may.VIEW_RECORDS,
    "history": may.VIEW_RECORDS,
    "pick": may.VIEW_RECORDS,
    "cells": may.VIEW_RECORDS,
    "panel": may.VIEW_RECORDS,
    "sums": may.VIEW_RECORDS,
    "sum_all": may.VIEW_RECORDS,
    "save_view": may.VIEW_RECORDS,
    "edit_view": may.VIEW_RECORDS,
    "first_view": may.VIEW_RECORDS,
    "create": may.EDIT_RECORDS,
    "edit": may.EDIT_RECORDS,
    "look_through": may.VIEW_RECORDS,
    "delete": may.DELETE_RECORDS,
    "export": may.EXPORT_RECORDS,
    "import": may.EXPORT_RECORDS,
}
OF_EACH_DOCUMENT = dict.fromkeys(
    ("lines", "totals", "items", "customer", "repeat"), may.EDIT_RECORDS
)


def _for_each(resources: tuple[str, ...], pages: dict[str, str]) -> dict[str, str]:
    return {f"{name}:{page}": needs for name in resources for page, needs in pages.items()}


EXPECTED = {
    # accounts
    "account_home": SIGNED_IN,
    "account_login": PUBLIC,
    "account_logout": PUBLIC,
    "account_inactive": PUBLIC,
    "account_reauthenticate": SIGNED_IN,
    "account_change_password": SIGNED_IN,
    "account_reset_password": PUBLIC,
    "account_reset_password_done": PUBLIC,
    "account_reset_password_from_key": PUBLIC,
    "account_reset_password_from_key_done": PUBLIC,
    "mfa_index": SIGNED_IN,
    "mfa_authenticate": PUBLIC,  # the second step of signing in
    "mfa_reauthenticate": SIGNED_IN,
    "mfa_activate_totp": SIGNED_IN,
    "mfa_deactivate_totp": SIGNED_IN,
    "mfa_list_webauthn": SIGNED_IN,
    "mfa_add_webauthn": SIGNED_IN,
    "mfa_edit_webauthn": SIGNED_IN,
    "mfa_remove_webauthn": SIGNED_IN,
    "mfa_reauthenticate_webauthn": SIGNED_IN,
    "mfa_login_webauthn": PUBLIC,
    "second_step_required": SIGNED_IN,
    "mfa_view_recovery_codes": SIGNED_IN,
    "mfa_generate_recovery_codes": SIGNED_IN,
    "mfa_download_recovery_codes": SIGNED_IN,
    "openid_connect_login": PUBLIC,
    "openid_connect_callback": PUBLIC,
    "socialaccount_login_cancelled": PUBLIC,
    "usersessions_list": SIGNED_IN,
    # the shell
    "theme": PUBLIC,
    "operation:page": may.MANAGE_SETTINGS,
    "healthz": PUBLIC,  # for supervisors and proxies
    "security_contact": PUBLIC,
    "readyz": PUBLIC,
    "metrics": PUBLIC,
    "help": SIGNED_IN,
    "settings": SIGNED_IN,
    "help_keys": SIGNED_IN,
    # credentials
    "credentials:connect": SIGNED_IN,
    "credentials:replace": SIGNED_IN,
    "credentials:move": SIGNED_IN,
    "credentials:remove": SIGNED_IN,
    # members of a workspace
    "workspace:members": may.CHANGE_STAFF,
    "workspace:add": may.CHANGE_STAFF,
    "workspace:remove": may.CHANGE_STAFF,
    # setup
    "setup:page": may.MANAGE_SETTINGS,
    "setup:import_reference_lists": may.MANAGE_SETTINGS,
    "setup:currency": may.MANAGE_SETTINGS,
    "setup:me": may.EDIT_RECORDS,
    "setup:welcome": SIGNED_IN,
    "setup:end": may.MANAGE_SETTINGS,
    # drafts
    "account_session": PUBLIC,
    "account_signed_in": PUBLIC,
    "unfinished:list": may.EDIT_RECORDS,
    "unfinished:close_deletion": may.VIEW_RECORDS,
    "unfinished:deletion_outcome": may.VIEW_RECORDS,
    "unfinished:keep_record": may.EDIT_RECORDS,
    "unfinished:keep": PUBLIC,  # checks the signed mark of the form
    "unfinished:presence": may.EDIT_RECORDS,
    "unfinished:discard": may.EDIT_RECORDS,
    "unfinished:discard_all": may.EDIT_RECORDS,
    "unfinished:put_back": may.EDIT_RECORDS,
    # unresolved writes
    "unsure:list": may.EDIT_RECORDS,
    "unsure:form": may.EDIT_RECORDS,
    "unsure:show": may.EDIT_RECORDS,
    "unsure:found": may.EDIT_RECORDS,
    "unsure:again": may.EDIT_RECORDS,
    "unsure:leave": may.EDIT_RECORDS,
    # figures
    "figures:page": may.VIEW_RECORDS,
    "figures:export": may.EXPORT_RECORDS,
    # imports
    "imports:show": may.EDIT_RECORDS,
    "imports:discard": may.EDIT_RECORDS,
    "imports:put_back": may.EDIT_RECORDS,
    "imports:undo": may.EXPORT_RECORDS,
    # jobs
    "bulk:choose": may.DELETE_RECORDS,
    "bulk:show": may.DELETE_RECORDS,
    "bulk:start": may.DELETE_RECORDS,
    "bulk:discard": may.DELETE_RECORDS,
    "bulk:undo": may.DELETE_RECORDS,
    "jobs:list": may.EDIT_RECORDS,
    "jobs:show": may.EDIT_RECORDS,
    "jobs:file": may.EXPORT_RECORDS,
    "jobs:pause": may.EDIT_RECORDS,
    "jobs:resume": may.EDIT_RECORDS,
    "jobs:stop": may.EDIT_RECORDS,
    "jobs:repeat": may.EDIT_RECORDS,
    "jobs:check": may.EDIT_RECORDS,
    # history
    "history:list": may.MANAGE_SETTINGS,
    "task_reminders": may.VIEW_RECORDS,
    # what repeats
    "repeats:list": may.EDIT_RECORDS,
    # catalogue
    "catalogue:overview": may.MANAGE_SETTINGS,
    "catalogue:unnamed": may.MANAGE_SETTINGS,
    "catalogue:list": may.MANAGE_SETTINGS,
    "catalogue:search": may.VIEW_RECORDS,
    "catalogue:add": may.MANAGE_SETTINGS,
    "catalogue:arrange": may.MANAGE_SETTINGS,
    "catalogue:import": may.MANAGE_SETTINGS,
    "catalogue:export": may.MANAGE_SETTINGS,
    "catalogue:edit": may.MANAGE_SETTINGS,
    "today:home": may.VIEW_RECORDS,
    "search:page": may.VIEW_RECORDS,
    "search:preview": may.VIEW_RECORDS,
    "search:star": may.VIEW_RECORDS,
    "titles": may.VIEW_RECORDS,
    "service:operations": may.MANAGE_SETTINGS,
    "day": SIGNED_IN,
    "documents:settings": may.MANAGE_SETTINGS,
    "documents:letterhead": may.MANAGE_SETTINGS,
    "reminders:settings": may.MANAGE_SETTINGS,
    # resources
    **_for_each(RESOURCES, OF_EACH_RESOURCE),
    **_for_each(("estimates", "invoices"), OF_EACH_DOCUMENT),
    "contacts:known": may.VIEW_RECORDS,
    "contacts:statement": may.VIEW_RECORDS,
    "contacts:quick": may.EDIT_RECORDS,
    "contacts:merge": may.EDIT_RECORDS,
    "contacts:remind": may.EDIT_RECORDS,
    "leads:known": may.VIEW_RECORDS,
    "leads:quick": may.EDIT_RECORDS,
    "leads:replace": may.DELETE_RECORDS,
    "leads:convert": may.EDIT_RECORDS,
    "leads:table": may.EDIT_RECORDS,
    "deals:board": may.VIEW_RECORDS,
    "deals:stage": may.EDIT_RECORDS,
    "tasks:repeat": may.EDIT_RECORDS,
    "tasks:agenda": may.VIEW_RECORDS,
    "tasks:done": may.EDIT_RECORDS,
    "tasks:due": may.VIEW_RECORDS,
    "tasks:due_one": may.VIEW_RECORDS,
    "invoices:due": may.EDIT_RECORDS,
    # staff accounts
    "staff:list": may.CHANGE_STAFF,
    "staff:invite": may.CHANGE_STAFF,
    "staff:person": may.CHANGE_STAFF,
    "staff:deactivate": may.CHANGE_STAFF,
    "staff:act": may.CHANGE_STAFF,
}

SAMPLES = {
    "pk": 1,
    "slug": "countries",
    "name": "contacts",
    "token": "no-such-token",
    "record_id": 1,
    "uidb36": "1",
    "key": "no-such-key",
    "provider_id": "nobody",
}


def addresses(
    resolver: URLResolver | None = None, space: str = "", above: frozenset[str] = frozenset()
) -> dict[str, str]:
    """A path for every name of the resolver, by the name with its namespace."""
    found: dict[str, str] = {}
    for entry in (resolver or get_resolver()).url_patterns:
        wanted = above | {*(entry.pattern.converters or entry.pattern.regex.groupindex)}
        if isinstance(entry, URLResolver):
            inner = f"{space}{entry.namespace}:" if entry.namespace else space
            found.update(addresses(entry, inner, wanted))
        elif name := f"{space}{entry.name or f'unnamed {entry.pattern}'}":
            found[name] = path_of(name, wanted)
    return found


def path_of(name: str, wanted: frozenset[str]) -> str:
    try:
        return reverse(name, kwargs={key: SAMPLES[key] for key in wanted})
    except (NoReverseMatch, KeyError):
        return ""


ADDRESSES = {name: path for name, path in addresses().items() if "unnamed <path" not in name}


def test_every_address_is_in_the_table():
    assert set(ADDRESSES) == set(EXPECTED)
    assert all(ADDRESSES.values()), "give SAMPLES the argument that is missing"


def names(*, public: bool) -> list[str]:
    """The names of the addresses that are open to anybody, or of all others."""
    return [name for name, needs in EXPECTED.items() if (needs == PUBLIC) is public]


@pytest.mark.django_db
@pytest.mark.parametrize("method", ["get", "post"])
def test_anonymous_users_are_redirected_to_sign_in(method):
    answers = {name: getattr(Client(), method)(ADDRESSES[name]) for name in names(public=False)}
    led = {name: one.headers.get("Location", one.status_code) for name, one in answers.items()}
    assert {name: to for name, to in led.items() if "/login/?next=" not in str(to)} == {}
    assert {one.status_code for one in answers.values()} == {302}


@pytest.mark.django_db
def test_anonymous_htmx_requests_get_a_401_with_a_sign_in_link():
    headers = {"HX-Request": "true", "HX-Current-URL": "http://testserver/contacts/?page=2"}
    link = 'href="/accounts/login/?next=%2Fcontacts%2F"'
    wrong = {}
    for name in names(public=False):
        answer = Client().get(ADDRESSES[name], headers=headers)
        if answer.status_code != 401 or link not in answer.content.decode():
            wrong[name] = answer.status_code
    assert wrong == {}


@pytest.mark.django_db
def test_public_pages_open_for_anonymous_users():
    found = {name: Client().get(ADDRESSES[name]).status_code for name in names(public=True)}
    assert found.pop("metrics") == 404  # which are off
    assert found.pop("security_contact") == 404  # which nobody has named
    without_provider = {name for name in found if name.startswith("openid_connect")}
    assert {found[name] for name in without_provider} == {404}
    others = {name: code for name, code in found.items() if name not in without_provider}
    assert {name: code for name, code in others.items() if code not in (200, 302, 405)} == {}
