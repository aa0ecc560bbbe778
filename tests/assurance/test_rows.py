"""Rows of the table of OWASP ASVS 5.0 that no test of another room shows."""

import json
import logging
import re
import subprocess
import sys
from html import unescape
from pathlib import Path

from django.http import QueryDict

from dashboard.core import logs
from dashboard.lists.query import ListQuery
from dashboard.office import recents
from dashboard.people.context import RequestContext
from dashboard.people.models import User
from dashboard.schema.registry import RESOURCES
from dashboard.writes.sidebar import read_sidebar
from tests.conftest import PASSWORD
from tests.helpers import text
from tests.page import InspectingClient as Client
from tests.people.test_sign_in import is_signed_in, sign_in
from tests.tables.files import xlsx
from tests.test_settings import COMPLETE, load

ROOT = Path(__file__).parents[2]


def test_a_password_keeps_its_spaces_and_its_case(viewer):
    for changed in (f" {PASSWORD}", f"{PASSWORD} ", PASSWORD.upper()):
        client = Client()
        sign_in(client, "vera", changed)
        assert not is_signed_in(client)
    sign_in(client, "vera")
    assert is_signed_in(client)


def test_the_example_of_nginx_speaks_newer_tls_only():
    example = (ROOT / "dashboard/deploy/nginx.conf").read_text(encoding="utf-8")
    servers = example.count("listen 443 ssl")
    assert re.findall(r"\bssl_protocols ([^;]*);", example) == ["TLSv1.2 TLSv1.3"] * servers
    assert re.findall(r"ssl_ciphers ([^;]*);", example) == ["ECDHE+AESGCM:ECDHE+CHACHA20"] * servers


def test_scripts_keep_little_in_the_storage_of_a_browser():
    storage = re.compile(r"localStorage|sessionStorage|indexedDB|document\.cookie|caches\.open")
    scripts = (ROOT / "static").rglob("*.js")
    users = {each.name for each in scripts if storage.search(each.read_text(encoding="utf-8"))}
    # Whether single keys are on and the way back to a list; the last cell of an import; when tasks
    # are due, by their numbers.
    assert users == {"due.js", "keys.js", "page.js", "theme.js"}


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


def test_a_value_stays_within_its_part_of_a_built_address():
    asked = QueryDict(mutable=True)
    asked["search"] = "a&type=1#b +%41"
    url = ListQuery.from_params(RESOURCES["contacts"], asked, RequestContext(gateway=None)).url()
    assert url == "/contacts/?search=a%26type%3D1%23b+%2B%2541"


def test_a_quote_in_a_value_does_not_end_it_in_a_query(viewer):
    owner = "it's; --"
    recents.note_opened(viewer, owner, "contacts", 7, title="Seven")
    recents.star(viewer, owner, "contacts", 7, on=True)
    assert [seen.record_id for seen in read_sidebar(viewer, "", owner).starred] == [7]
    assert read_sidebar(viewer, "", "it").starred == ()


def test_the_server_names_the_files_that_it_sends(desk):
    typed = {"content": "columns", "form": "csv", "name": '../a"; x="b', "file": "c"}
    sent = desk.post("/contacts/export/", typed)["Content-Disposition"]
    assert re.fullmatch(r'attachment; filename="contacts-\d{4}-\d\d-\d\d\.csv"', sent)


def test_the_page_of_a_fault_tells_nothing_inside(viewer, client_of, monkeypatch):
    def fail(request):
        raise ValueError("Canary inside")

    monkeypatch.setattr("dashboard.people.context.context_without_keys", fail)
    client = client_of(viewer)
    client.raise_request_exception = False
    answer = client.get("/contacts/")
    assert answer.status_code == 500
    for inside in ("Canary", "ValueError", "Traceback", "dashboard/"):
        assert inside not in answer.content.decode()


def test_logs_go_to_the_console_alone():
    handlers = "{name: each['class'] for name, each in settings.LOGGING['handlers'].items()}"
    own = "[each for each in settings.LOGGING['loggers'].values() if 'handlers' in each]"
    found = load(COMPLETE, f"({handlers}, {own}, settings.SENTRY_DSN)").stdout.strip()
    assert found == "({'console': 'logging.StreamHandler'}, [], '')"


def test_braces_in_a_name_are_no_format(viewer, administrator, client_of):
    User.objects.filter(pk=viewer.pk).update(first_name="{0.password}", last_name="{x}")
    desk = client_of(administrator)
    desk.post("/accounts/reauthenticate/", {"password": PASSWORD})
    page = desk.post(f"/staff/{viewer.pk}/act/", {"action": "activate"}, follow=True)
    assert "{0.password} {x} can sign in again." in unescape(text(page))


def test_every_page_offers_to_sign_out(viewer, client_of):
    for path in ("/settings/keys/", "/help/", "/accounts/"):
        page = client_of(viewer).get(path).content.decode()
        assert re.search(r'<button[^>]* formaction="/accounts/logout/">.*Sign out</button>', page)


def test_metrics_and_health_are_served_to_this_machine_alone(client, db, settings, tmp_path):
    settings.METRICS_DIR = str(tmp_path)
    proxy = client.get("/metrics", headers={"X-Forwarded-For": "127.0.0.1"})
    statuses = [client.get("/metrics", REMOTE_ADDR="192.0.2.7"), proxy, client.get("/metrics")]
    assert [answer.status_code for answer in statuses] == [404, 404, 200]
    example = (ROOT / "dashboard/deploy/nginx.conf").read_text(encoding="utf-8")
    for path in ("/readyz", "/healthz"):
        rules = re.findall(rf"location = {path} {{ (.*?) proxy_pass", example)
        assert rules == ["allow 127.0.0.1; deny all;"]


def test_the_process_that_reads_workbooks_has_little_memory_and_time():
    program = (
        "import resource as r, sys\n"
        "from dashboard.tables.workbook_process import main\n"
        "main()\n"
        "print(r.getrlimit(r.RLIMIT_AS), r.getrlimit(r.RLIMIT_CPU), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True,
                          input=b'{"is_text": false, "sheet": ""}\n' + xlsx({"A": [["x"]]}),
                          capture_output=True)  # fmt: skip
    assert done.stderr.decode().strip() == "(1000000000, 1000000000) (20, 20)"
