"""What a person does with a site that install.sh made: `python -m tests.deploy.walk ROOT WAY`, in
namespaces of its own (tests/deploy/bare.py). Ends with status 1 and the assertion that failed.
"""

import base64
import hmac
import re
import shutil
import socket
import ssl
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import httpx

from dashboard import __version__
from dashboard.standin.standin import StandIn
from tests.deploy.bare import CHECKOUT, HOME, Unit, inside, wait_for_end
from tests.page_forms import page_forms
from tests.waits import wait_for_port, wait_until

SITE = "https://desk.example.test"
BACKUP = "/srv/entry-desk/backups/monday.backup"
SCRIPTS = f"{HOME}/current/dashboard/deploy"
ROWS = 40  # of an import
NEXT = "root/entry-desk-new"


class Person:
    """The first administrator in a browser that trusts the site's own certificate."""

    def __init__(self, root: Path) -> None:
        trusted = ssl.create_default_context(
            cafile=str(root / "etc/entry-desk/desk.example.test.pem")
        )
        self.browser = httpx.Client(
            base_url=SITE, verify=trusted, follow_redirects=True, timeout=60, trust_env=False
        )

    def fill_in(self, path: str, **typed: str) -> httpx.Response:
        """Send the form of the page at this path that has these fields; what follows."""
        return self.send(self.browser.get(path), **typed)

    def send(self, page: httpx.Response, status: int = 200, **typed: str) -> httpx.Response:
        found = [
            form
            for form in page_forms(page.text, str(page.url))
            if set(typed) <= {name for name, _ in (*form.fields, *form.buttons)}
        ]
        assert found, f"{page.url} has no form with {sorted(typed)}: {words(page)}"
        sent = {**found[0].data(), **typed}
        answer = self.browser.post(found[0].action, data=sent, headers={"Origin": SITE})
        assert answer.status_code == status, words(answer)
        return answer

    def signs_in(self, password: str) -> None:
        """With the password that install.sh left, and an authenticator app set up on the way."""
        page = self.fill_in("/accounts/login/", login="admin", password=password)
        assert "/two-step/" in str(page.url), str(page.url)
        page = self.browser.get("/accounts/two-step/totp/activate/")
        secret = re.search(r"<code>([A-Z2-7]{16,})</code>", page.text)
        assert secret, page.text
        self.send(page, code=code_of(secret[1]))

    def sees(self, path: str, words: str) -> bool:
        return words in self.browser.get(path).text


def words(page: httpx.Response) -> str:
    """What a page says, without its tags."""
    return re.sub(r"\s+", " ", re.sub("<[^>]*>", "", page.text))


def code_of(secret: str) -> str:
    """The six digits of RFC 6238 that an authenticator app shows now."""
    counter = int(time.time() // 30).to_bytes(8)
    digest = hmac.digest(base64.b32decode(secret), counter, "sha1")
    offset = digest[-1] & 0xF
    return f"{(int.from_bytes(digest[offset : offset + 4]) & 0x7FFF_FFFF) % 1_000_000:06}"


def servers(root: Path, way: str) -> None:
    """Start those that the way of installing has, and the proxy."""
    if way == "full":
        version = next((root / "etc/postgresql").iterdir()).name
        database = Unit(root, f"postgresql@{version}-main.service")
        (root / f"var/lib/postgresql/{version}/main/postmaster.pid").unlink(missing_ok=True)
        database.start([])
        wait_for_end(database)
        cache = Unit(root, "redis-server.service")
        cache.start([])
        wait_until((root / "run/redis/redis-server.sock").exists)
    proxy = Unit(root, "nginx.service")
    proxy.start([])
    wait_for_port(443)


def manage(root: Path, *arguments: str) -> str:
    return run(inside(root, "sh", f"/{SCRIPTS}/manage.sh", *arguments))


def run(command: list[str]) -> str:
    """What a program of the bare Debian printed, which must end well."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def walk(root: Path, way: str, service: StandIn) -> None:
    """Sign in through the proxy, save a contact, restart, upgrade, go back, restore a backup."""
    servers(root, way)
    site, worker = Unit(root, "entry-desk.service"), Unit(root, "entry-desk-worker@1.service")
    sockets = site.sockets()
    site.start(sockets)
    worker.start([])
    person = Person(root)
    wait_until(lambda: answers(person))
    person.signs_in(password(root))
    invites_without_a_mail_server(root, person)
    access, secret = service.keys["acme"][0]
    keys = {"access": access, "secret": secret, "workspace": "Acme", "action": "save"}
    answer = person.fill_in("/settings/keys/", **keys)
    assert 'name="access"' not in answer.text, words(answer)
    person.fill_in("/contacts/new/", cstname="Zebra of the walk")
    assert person.sees("/contacts/?search=Zebra", "Zebra of the walk")
    manage(root, "--owner", "backup", BACKUP)
    copy_at_night(root)
    site.stop()
    site.start(sockets)
    assert person.sees("/contacts/?search=Zebra", "Zebra of the walk")
    open_form = person.browser.get("/contacts/new/")
    begun = {"cstname": "Begun before the upgrade", "cstemail": "no address yet"}
    person.send(person.browser.get("/contacts/new/"), 422, **begun)
    leaves_one_not_sure(person, service)
    job = begins_an_import(person)
    site.stop()
    worker.stop()
    close(sockets)
    sees_that_it_is_not_available(person)
    upgrade(root)
    sees_that_it_is_not_available(person)
    writes = kept_writes(root)
    sockets = site.sockets()
    site.start(sockets)
    worker.start([])
    assert person.sees("/settings/operation/", "Entry Desk 9.9.9")
    assert person.sees("/unfinished/", "Begun before the upgrade")
    assert person.sees("/unsure/", "Unsure before the upgrade")
    assert person.sees("/history/", "Zebra of the walk")
    wait_until(lambda: f"{ROWS} of {ROWS} done {ROWS} saved" in words(person.browser.get(job)))
    sent = [call["body"]["cstname"] for call in service.ledger(operation="create", effect=True)]
    assert all(sent.count(f"Row {number} of the walk") == 1 for number in range(ROWS))
    person.send(open_form, cstname="Yak of the later release")
    site.stop()
    worker.stop()
    assert kept_writes(root) != writes
    go_back(root)
    assert kept_writes(root) == writes
    manage(root, "--owner", "restore", BACKUP, "--replace")
    site.start(sockets)
    worker.start([])
    assert "/accounts/login/" in str(person.browser.get("/contacts/").url)  # signed out by it
    assert person.fill_in("/accounts/login/", login="admin", password=password(root)).url
    assert site.runs()
    assert worker.runs()


def invites_without_a_mail_server(root: Path, person: Person) -> None:
    """Nothing listens at EMAIL_URL, which System status says."""
    (root / HOME / "invited").write_text("zoe@example.test")
    manage(root, "invite", "--file", f"/{HOME}/invited", "--role", "Editor")
    wait_until(lambda: person.sees("/settings/operation/", "The mail server rejected the"))


def leaves_one_not_sure(person: Person, service: StandIn) -> None:
    """Save a contact, of which the service gives no answer."""
    service.fault("reset-before", operation="create")
    person.send(person.browser.get("/contacts/new/"), cstname="Unsure before the upgrade")
    service.clear_faults()


def begins_an_import(person: Person) -> str:
    """Send ROWS rows as a job, which the worker has begun or not; the address of its page."""
    rows = "".join(f"\nRow {number} of the walk" for number in range(ROWS))
    page = person.fill_in("/contacts/import/", text=f"Name{rows}")
    wait_until(lambda: person.sees(str(page.url), 'value="send"'))
    job = person.fill_in(str(page.url), do="send")
    assert "/jobs/" in str(job.url), words(job)
    return str(job.url)


def copy_at_night(root: Path) -> None:
    """As the timer does."""
    unit = Unit(root, "entry-desk-backup.service")
    unit.start([])
    wait_for_end(unit)
    assert list((root / HOME / "backups").glob("entry-desk-*.backup"))


def close(sockets: list[socket.socket]) -> None:
    """As systemd does when install.sh stops the socket with the site."""
    for each in sockets:
        each.close()


def sees_that_it_is_not_available(person: Person) -> None:
    """On a page and on a form that is sent, as long as old code must not meet new tables."""
    form = {"cstname": "Sent meanwhile"}
    for answer in (
        person.browser.get("/contacts/"),
        person.browser.post("/contacts/new/", data=form),
    ):
        assert answer.status_code == 502, answer.text
        assert "Entry Desk is not available at the moment" in answer.text


def upgrade(root: Path) -> None:
    """To a release with another number, and a second time, which changes nothing."""
    shutil.copytree(root / CHECKOUT, root / NEXT)
    named = root / NEXT / "dashboard/__init__.py"
    named.write_text(named.read_text().replace(__version__, "9.9.9"))
    script = f"/{NEXT}/dashboard/deploy/upgrade.sh"
    printed = run(inside(root, script))
    assert "+ switched to the release 9.9.9-" in printed, printed
    assert "+ backed up the database to " in printed, printed
    assert "\n+" not in f"\n{run(inside(root, script))}"
    assert "Entry Desk 9.9.9," in manage(root, "--version")


def go_back(root: Path) -> None:
    """To the code and the database of before."""
    printed = run(inside(root, f"/{SCRIPTS}/upgrade.sh", "--back"))
    assert f"+ switched to the release {__version__}-" in printed, printed
    assert f"Entry Desk {__version__}," in manage(root, "--version")


def kept_writes(root: Path) -> str:
    """How many writes the database has."""
    known = "from dashboard.writes.models import Write; print(Write.objects.count())"
    return manage(root, "shell", "-v", "0", "-c", known)


def password(root: Path) -> str:
    return (root / "etc/entry-desk/password").read_text().strip()


def answers(person: Person) -> bool:
    with suppress(httpx.HTTPError):
        return person.browser.get("/accounts/login/").status_code == 200
    return False


if __name__ == "__main__":
    folder, chosen = Path(sys.argv[1]), sys.argv[2]
    assert (folder / HOME / "releases").exists()
    with StandIn(port=8101) as standin:
        walk(folder, chosen, standin)
    sys.stdout.write("walked\n")
