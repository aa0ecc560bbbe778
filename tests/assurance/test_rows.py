"""Rows of the table of OWASP ASVS 5.0 that no test of another room shows."""

import json
import logging
import re
from pathlib import Path

from django.conf import global_settings
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.urls import reverse

from dashboard.monitoring import logs
from tests.accounts.test_second_step import with_second_step
from tests.accounts.test_sign_in import (
    NEW_PASSWORD,
    choose_password,
    is_signed_in,
    link_in_mail,
    sign_in,
)
from tests.conftest import PASSWORD
from tests.page import InspectingClient as Client
from tests.test_settings import COMPLETE, load

ROOT = Path(__file__).parents[2]


def test_a_password_keeps_its_spaces_and_its_case(viewer):
    for changed in (f" {PASSWORD}", f"{PASSWORD} ", PASSWORD.upper()):
        client = Client()
        sign_in(client, "vera", changed)
        assert not is_signed_in(client)
    sign_in(client, "vera")
    assert is_signed_in(client)


def test_a_password_reset_does_not_take_the_place_of_the_second_step(viewer, client_of):
    with_second_step(client_of(viewer))
    client = Client()
    client.post("/accounts/password/reset/", {"email": "vera@example.test"})
    choose_password(client, link_in_mail())
    assert not is_signed_in(client)
    assert sign_in(client, "vera", NEW_PASSWORD)["Location"].startswith(reverse("mfa_authenticate"))
    assert not is_signed_in(client)


def test_a_sign_in_gets_a_new_session(viewer):
    client = Client()
    session = client.session
    session["before"] = True
    session.save()
    keys = [session.session_key]
    for _ in range(2):
        sign_in(client, "vera")
        keys.append(client.session.session_key)
        client.post("/accounts/logout/")
    assert len(set(keys)) == len(keys)
    assert all(re.fullmatch("[a-z0-9]{32}", key) for key in keys)  # 165 bits


def test_passwords_are_hashed_slowly():
    own = load(COMPLETE, "hasattr(settings, 'PASSWORD_HASHERS')").stdout.strip()
    assert own == "False"  # so Django's hold
    assert global_settings.PASSWORD_HASHERS[0].endswith(".PBKDF2PasswordHasher")
    assert PBKDF2PasswordHasher.iterations >= 600_000


def test_the_example_of_nginx_speaks_newer_tls_only():
    example = (ROOT / "dashboard/deploy/nginx.conf").read_text(encoding="utf-8")
    servers = example.count("listen 443 ssl")
    assert re.findall(r"\bssl_protocols ([^;]*);", example) == ["TLSv1.2 TLSv1.3"] * servers
    assert re.findall(r"ssl_ciphers ([^;]*);", example) == ["ECDHE+AESGCM:ECDHE+CHACHA20"] * servers


def test_scripts_keep_little_in_the_storage_of_a_browser():
    storage = re.compile(r"localStorage|sessionStorage|indexedDB|document\.cookie|caches\.open")
    scripts = (ROOT / "static").glob("*.js")
    users = {each.name for each in scripts if storage.search(each.read_text(encoding="utf-8"))}
    # Whether single keys are on; the way back to a list; the last cell of an import.
    assert users == {"keys.js", "site.js", "mend.js"}


def test_a_refused_page_has_a_line_with_person_and_status(client_of, viewer, caplog):
    caplog.set_level(logging.INFO)
    assert client_of(viewer).get("/staff/").status_code == 403
    formatter = logs.json_lines()
    records = [each for each in caplog.records if each.name == "dashboard.requests"]
    [line] = [json.loads(formatter.format(each)) for each in records]
    assert (line["person"], line["path"], line["status"]) == (viewer.pk, "/staff/", 403)


def test_a_line_break_stays_within_its_log_line():
    record = logging.LogRecord("any", logging.INFO, "", 0, "a\nb\r%s", ("\x1b[31m\nc",), None)
    line = logs.json_lines().format(record)
    assert not set(line) & {"\n", "\r", "\x1b"}
    assert json.loads(line)["event"] == "a\nb\r\x1b[31m\nc"
