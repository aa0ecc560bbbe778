"""The main jobs in Firefox ESR (tests/js/firefox_jobs.js); skipped where it, Node or puppeteer is
missing, unless REQUIRE_FIREFOX=1.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from dashboard.gateway import CONTACTS, ESTIMATES, LEADS
from dashboard.office import choices as preferences

JS_TESTS = Path(__file__).parents[1] / "js"
LINE = {"item_id": 501, "item_name": "Consulting hour", "quantity": 2, "price": 95, "type": "item"}


@pytest.fixture
def node() -> str:
    """The path of Node beside this Python, with Firefox and puppeteer there as well."""
    found = shutil.which("node", path=Path(sys.executable).parent) or shutil.which("node")
    lacks = [
        name
        for name, there in {
            "Node": found,
            "Firefox": shutil.which("firefox-esr"),
            "puppeteer-core": (JS_TESTS / "node_modules/puppeteer-core").is_dir(),
        }.items()
        if not there
    ]
    if lacks:
        required = os.environ.get("REQUIRE_FIREFOX") == "1"
        (pytest.fail if required else pytest.skip)(f"not installed: {', '.join(lacks)}")
    return str(found)


@pytest.fixture
def records(gateway) -> dict[str, str]:
    """The ids of the records that the jobs begin with, by the names of the environment."""
    zebra = {"cstname": "Zebra Ltd", "contact_type": 2, "cstemail": "z@b.eu", "cstmobile": "0100"}
    contact = gateway.create(CONTACTS, zebra).id
    estimate = {"customer_id": contact, "template_id": 11, "items": [LINE]}
    lead = {"cstname": "Zoe Fox", "lead_company_name": "Fox"}
    return {
        "CONTACT": str(contact),
        "ESTIMATE": str(gateway.create(ESTIMATES, estimate).id),
        "LEAD": str(gateway.create(LEADS, lead).id),
    }


def test_the_main_jobs_are_done_in_firefox(
    live_server, manager, with_keys, records, standin, node, all_answered, lists
):
    made = len(standin.ledger(operation="create"))
    client = Client()
    client.force_login(with_keys(manager))
    templates = {"invoices.template_id": "11", "estimates.template_id": "11"}
    preferences.remember_choices(user=manager, workspace="Acme", values=templates)
    environment = {
        **os.environ,
        **records,
        "SITE": live_server.url,
        "SESSION": client.cookies[settings.SESSION_COOKIE_NAME].value,
        "FIREFOX": str(shutil.which("firefox-esr")),
    }
    result = subprocess.run(
        [node, "--test", "firefox_jobs.js"],
        cwd=JS_TESTS,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    all_answered()
    assert result.returncode == 0, result.stdout + result.stderr
    assert re.search(r"^\S+ pass 12$", result.stdout, re.MULTILINE), result.stdout
    sent = standin.ledger(operation="create")[made:]
    contact, *_ = [one["body"] for one in sent if one["resource"] == "contacts"]
    assert (contact["cstname"], contact["cstemail"]) == ("Ada Fox", "ada@fox.example")
    typed, converted = [one["body"] for one in sent if one["resource"] == "invoices"]
    assert [line["quantity"] for line in typed["items"]] == [2, 2]
    assert typed["customer_id"] == converted["customer_id"] == int(records["CONTACT"])
    assert [one["body"]["deal_amount"] for one in sent if one["resource"] == "deals"] == [9500]
    assert {"cstmobile": "0301234"} in [one["body"] for one in standin.ledger(operation="update")]
