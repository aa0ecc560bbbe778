"""The three scripts, unchanged, on a bare Debian, also off the straight road."""

import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from dashboard import __version__
from dashboard.standin.standin import StandIn
from tests.deploy import bare
from tests.deploy.bare import Run
from tests.waits import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]

SCRIPTS = f"/{bare.CHECKOUT}/dashboard/deploy"
INSTALL = f"{SCRIPTS}/install.sh"
ANSWERS = """HOST=desk.example.test
API_BASE_URL=http://127.0.0.1:8101
ADMINISTRATOR=ada@example.test
TIME_ZONE=Europe/London
EMAIL_URL=smtp://127.0.0.1:25
"""
WAYS = ("full", "small")
CURRENT = f"{bare.HOME}/current/dashboard/deploy"
NEXT = "9.9.9"
MIGRATION = """from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("administration", "0001_initial")]
    operations = [migrations.RunSQL("SELECT 1")]
"""
# Kills the shell of a script before the command number CUT of those that change something.
CUT = r"""unset BASH_ENV
set -o functrace
trap 'case $BASH_COMMAND in
*">"* | \"* | apt-get* | chmod* | cp* | dpkg* | exec* | install* | ln* | mv* | nginx* | \
openssl* | pg_ctl* | python* | rm* | runuser* | "sh "* | systemctl* | touch* | user* | xargs*)
    n=$((${n:-0} + 1)); [ "$n" -ne "$CUT" ] || kill -KILL $$ ;;
esac' DEBUG
"""
KILLED = 137
PATIENCE = 300  # seconds for a site that starts with its machine
STRIDE = 11  # such commands between two deaths of install.sh; the other scripts die before each
# In a bare Debian that has PostgreSQL, which ends with each command.
WITH_DATABASE = """pg_lsclusters -h 2>/dev/null | while read -r version name rest; do
    rm -f /var/lib/postgresql/$version/$name/postmaster.pid
    pg_ctlcluster $version $name start
done
exec "$@"
"""


@pytest.fixture(scope="module", autouse=True)
def service() -> Iterator[StandIn]:
    """Answers install.sh, which asks whether something is at API_BASE_URL."""
    with StandIn(port=8101) as standin:
        yield standin


@pytest.fixture(scope="module")
def sites() -> Iterator[Path]:
    """A folder for one site of each way; tests change copies."""
    with tempfile.TemporaryDirectory(prefix="sites-") as folder:
        yield Path(folder)


@pytest.fixture
def site(bare_debian: Path, sites: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A copy of the site of the small way, or of the way that is the parameter."""
    way = getattr(request, "param", "small")
    if not (sites / way).exists():
        install(bare.copied(bare_debian, sites / way), way)
    with copy_of(sites / way) as copy:
        yield copy


@contextmanager
def copy_of(root: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="site-") as folder:
        yield bare.copied(root, Path(folder, "root"))


def install(root: Path, way: str) -> None:
    (root / "root/answers").write_text(f"{ANSWERS}WAY={way}\n")
    printed = bare.run(root, bare.inside(root, INSTALL, "/root/answers"))
    assert '+ created the administrator "admin"' in printed


both_ways = pytest.mark.parametrize("site", WAYS, indirect=True)


def changes(printed: str) -> list[str]:
    return [line for line in printed.splitlines() if line.startswith("+")]


def state(root: Path) -> dict[str, tuple[int, ...]]:
    """Mode, owner, time and size of each file that install.sh is about."""
    folders = [root / each for each in ("etc", "srv/entry-desk", "usr/lib/systemd")]
    found = [each.lstat() for folder in folders for each in walked(folder)]
    names = [str(each.relative_to(root)) for folder in folders for each in walked(folder)]
    values = [(each.st_mode, each.st_uid, each.st_mtime_ns, each.st_size) for each in found]
    return dict(zip(names, values, strict=True))


def walked(folder: Path) -> list[Path]:
    """All files below, but for what the running site writes."""
    return [
        each for each in sorted(folder.rglob("*")) if not {"var", "__pycache__"} & set(each.parts)
    ]


def cut(root: Path, command: int, *script: str) -> bool:
    """Run a script that is killed before one of its commands; whether it was."""
    (root / "root/cut.sh").write_text(CUT)
    killed = ["env", "BASH_ENV=/root/cut.sh", f"CUT={command}", "bash", *script]
    status, printed = bare.ended(root, bare.inside(root, *killed))
    assert status in (0, KILLED), printed[-8000:]
    return status == KILLED


def with_database(root: Path, *command: str) -> str:
    return bare.run(root, bare.inside(root, "sh", "-c", WITH_DATABASE, "sh", *command))


def certificate(folder: Path, name: str, days: int) -> None:
    """NAME.pem, which ends in this number of days, and NAME.key."""
    key = ec.generate_private_key(ec.SECP256R1())
    named, end = x509.Name([]), datetime.now(UTC) + timedelta(days=days)
    signed = (
        x509.CertificateBuilder(named, named, key.public_key(), 1)
        .not_valid_before(end - timedelta(days=9))
        .not_valid_after(end)
        .sign(key, hashes.SHA256())
    )
    pem, plain = Encoding.PEM, (PrivateFormat.PKCS8, NoEncryption())
    (folder / f"{name}.pem").write_bytes(signed.public_bytes(pem))
    (folder / f"{name}.key").write_bytes(key.private_bytes(pem, *plain))


def manage(root: Path, *arguments: str) -> str:
    return with_database(root, "sh", f"/{CURRENT}/manage.sh", *arguments)


def walk(root: Path, way: str) -> None:
    command = [sys.executable, "-m", "tests.deploy.walk", str(root), way]
    assert bare.run(root, command, apart=True).endswith("walked\n")


@both_ways
def test_a_site_is_installed_signed_in_to_restarted_and_restored(site, request):
    before = state(site)
    again = bare.run(site, bare.inside(site, INSTALL))
    assert changes(again) == []
    assert state(site) == before
    walk(site, request.node.callspec.params["site"])


def test_a_run_that_is_killed_goes_on_and_ends_in_a_working_site(root):
    (root / "root/answers").write_text(f"{ANSWERS}WAY=full\n")
    command = 1
    while cut(root, command, INSTALL, "/root/answers"):
        command += STRIDE
    assert command > 3 * STRIDE, "the script was hardly ever killed"
    assert changes(bare.run(root, bare.inside(root, INSTALL))) == []
    walk(root, "full")


def another_release(root: Path) -> str:
    """The upgrade.sh of a checkout with another number and another table."""
    shutil.copytree(root / bare.CHECKOUT, root / "root/next")
    package = root / "root/next/dashboard"
    (package / "__init__.py").write_text(f'__version__ = "{NEXT}"\n')
    (package / "administration/migrations/0002_next.py").write_text(MIGRATION)
    return "/root/next/dashboard/deploy/upgrade.sh"


def runs_again(root: Path) -> str:
    """Run install.sh as somebody would after a power cut; the version that then runs, whose tables
    must be its own.
    """
    bare.run(root, bare.inside(root, f"/{CURRENT}/install.sh"))
    manage(root, "--owner", "migrate", "--check")
    manage(root, "check", "--database", "default")
    assert not (root / bare.HOME / "unfinished-step").exists()
    return (root / bare.HOME / "current").readlink().name.partition("-")[0]


def versions_after(site: Path, *script: str) -> list[str]:
    """The version that runs after the script was killed before its first command, its second and so
    on, and at last after it was not.
    """
    seen, was_cut = [], True
    while was_cut:
        with copy_of(site) as copy:
            was_cut = cut(copy, len(seen) + 1, *script)
            seen.append(runs_again(copy))
    return seen


def test_an_upgrade_that_is_killed_ends_on_one_release_with_its_own_tables(site):
    seen = versions_after(site, another_release(site))
    assert seen == sorted(seen, key=[__version__, NEXT].index)
    assert set(seen) == {__version__, NEXT}


def test_the_way_back_that_is_killed_ends_on_one_release_with_its_own_tables(site):
    bare.run(site, bare.inside(site, another_release(site)))
    seen = versions_after(site, f"/{CURRENT}/upgrade.sh", "--back")
    assert seen == sorted(seen, key=[NEXT, __version__].index)
    assert set(seen) == {__version__, NEXT}


def test_an_upgrade_whose_migration_fails_goes_back(site):
    upgrade = another_release(site)
    migration = site / "root/next/dashboard/administration/migrations/0002_next.py"
    migration.write_text(MIGRATION.replace("SELECT 1", "SELECT nothing"))
    status, printed = bare.ended(site, bare.inside(site, upgrade))
    assert status == 1, printed
    bare.run(site, bare.inside(site, f"/{CURRENT}/upgrade.sh", "--back"))
    assert runs_again(site) == __version__


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("HOST=Desk Example", "HOST cannot be"),
        ("HOST=nowhere.example.invalid", "is not in the DNS"),
        ("API_BASE_URL=http://127.0.0.1:9", "Nothing answers at API_BASE_URL"),
        ("TIME_ZONE=Europe/Londin", "is not a time zone"),
        ("WAY=full", "WAY cannot be changed"),
        ("CERTIFICATE=/etc/ssl/none.pem\nKEY=/etc/ssl/none.key", "cannot be read"),
        ("CERTIFICATE=/etc/ssl/a.pem\nKEY=/etc/ssl/b.key", "do not match"),
        ("CERTIFICATE=/etc/ssl/past.pem\nKEY=/etc/ssl/past.key", "has expired"),
    ],
)
def test_a_wrong_answer_changes_nothing_and_the_right_one_is_taken(site, line, words):
    for name, days in (("a", 1), ("b", 1), ("past", -1)):
        certificate(site / "etc/ssl", name, days)
    before = state(site)
    (site / "root/wrong").write_text(f"{ANSWERS}WAY=small\n{line}\n")
    status, printed = bare.ended(site, bare.inside(site, INSTALL, "/root/wrong"))
    assert status == 1
    assert words in printed
    assert {**state(site), "etc/entry-desk": ()} == {**before, "etc/entry-desk": ()}
    right = (site / "root/answers").read_text().replace("Europe/London", "Europe/Paris")
    (site / "root/answers").write_text(right)
    printed = bare.run(site, bare.inside(site, INSTALL, "/root/answers"))
    assert "+ wrote /srv/entry-desk/.env" in changes(printed)
    assert "TIME_ZONE=Europe/Paris" in (site / bare.HOME / ".env").read_text()


def test_a_file_that_somebody_has_edited_stays(site):
    settings = site / bare.HOME / ".env"
    settings.write_text(f"{settings.read_text()}SESSION_HOURS=8\n")
    right = (site / "root/answers").read_text().replace("Europe/London", "Europe/Paris")
    (site / "root/answers").write_text(right)
    printed = bare.run(site, bare.inside(site, INSTALL, "/root/answers"))
    assert "    < SESSION_HOURS=8\n" in printed
    assert "    > TIME_ZONE=Europe/Paris\n" in printed
    assert "TIME_ZONE=Europe/London" in settings.read_text()


def test_without_a_mail_server_the_last_line_says_so(site):
    (site / bare.HOME).joinpath(".env").touch()
    (site / "etc/entry-desk/secrets/EMAIL_URL").unlink()
    answers = (site / "etc/entry-desk/answers").read_text()
    (site / "etc/entry-desk/answers").write_text(re.sub("EMAIL_URL=.*", "EMAIL_URL=", answers))
    printed = bare.run(site, bare.inside(site, INSTALL))
    assert "There is no mail server yet" in printed.splitlines()[-1]


@both_ways
def test_twenty_nights_without_the_database_cost_no_copy(site):
    [command] = bare.Unit(site, "entry-desk-backup.service").values("ExecStart")
    backups, database = site / bare.HOME / "backups", site / bare.HOME / "var/db.sqlite3"
    kept = sorted(backups.iterdir())  # the first one, which install.sh has made
    if database.exists():
        database.rename(site / "root/away")
    for _ in range(20):
        assert bare.ended(site, bare.inside(site, *command.split()))[0] != 0
    assert sorted(backups.iterdir()) == kept
    if (site / "root/away").exists():
        (site / "root/away").rename(database)
    with_database(site, *command.split())
    assert len(list(backups.iterdir())) == len(kept) + 1


def test_a_certificate_that_expires_stops_no_run_and_an_own_one_is_made_anew(site):
    certificate(site / "etc/ssl", "given", 1)
    given = "CERTIFICATE=/etc/ssl/given.pem\nKEY=/etc/ssl/given.key"
    (site / "root/given").write_text(f"{ANSWERS}WAY=small\n{given}\n")
    bare.run(site, bare.inside(site, INSTALL, "/root/given"))
    certificate(site / "etc/ssl", "given", -1)
    certificate(site / "etc/entry-desk", "desk.example.test", -1)
    assert changes(bare.run(site, bare.inside(site, INSTALL))) == []
    printed = bare.run(site, bare.inside(site, INSTALL, "/root/answers"))
    assert any("/etc/entry-desk/desk.example.test.pem" in line for line in changes(printed))


@both_ways
def test_a_site_that_is_uninstalled_and_installed_again_has_its_data(site):
    created = "from dashboard.people.models import User; User.objects.create(username='zoe')"
    manage(site, "shell", "-v", "0", "-c", created)
    command = 1
    while cut(site, command, f"{SCRIPTS}/uninstall.sh"):
        command += 1
    assert not list((site / "etc/systemd/system").rglob("entry-desk*"))
    assert not (site / "etc/nginx/conf.d/entry-desk.conf").exists()
    assert not (site / bare.HOME / "releases").exists()
    bare.run(site, bare.inside(site, INSTALL))
    counted = "from dashboard.people.models import User; print(User.objects.count())"
    assert manage(site, "shell", "-v", "0", "-c", counted).split()[-1] == "2"
    with_database(site, f"{SCRIPTS}/uninstall.sh", "--with-data")
    left = [
        each
        for folder in ("etc", "srv", "usr/lib/systemd", "var/lib", "var/log")
        for each in (site / folder).rglob("*entry-desk*")
    ]
    assert left == []
    assert "entry-desk" not in (site / "etc/passwd").read_text()


@pytest.mark.parametrize("site", ["full"], indirect=True)
def test_systemd_starts_the_site_but_not_between_two_steps_of_an_upgrade(site):
    upgrade, step = another_release(site), site / bare.HOME / "unfinished-step"
    worker = "entry-desk-worker@1.service"
    with bare.booted(site) as run:
        waits_for(run, __version__)
        run("systemctl", "start", "entry-desk-backup").check_returncode()
        run("systemctl", "is-active", "entry-desk-backup.timer").check_returncode()
        run("systemctl", "kill", "--signal=KILL", worker)
        wait_until(lambda: run("systemctl", "show", "-P", "NRestarts", worker).stdout == "1\n")
        cut_off = Thread(target=run, args=("sh", upgrade))
        cut_off.start()
        wait_until(step.exists, patience=PATIENCE)
    cut_off.join()
    with bare.booted(site) as run:
        wait_until(lambda: run("systemctl", "is-active", "multi-user.target").returncode == 0)
        assert run("systemctl", "is-active", "entry-desk", worker).stdout == "inactive\n" * 2
        done = run("sh", f"/{CURRENT}/install.sh")
        assert done.returncode == 0, done.stdout + done.stderr
        waits_for(run, NEXT)


def waits_for(run: Run, version: str) -> None:
    """Wait for a site of this release that is ready and has a worker."""
    asked = "http://127.0.0.1:8000/readyz?workers=1', headers={'Host': 'desk.example.test'}"
    program = f"import urllib.request as u; print(u.urlopen(u.Request('{asked})).read())"
    ready = f'"version": "{version}"'
    wait_until(lambda: ready in run("python3", "-c", program).stdout, patience=PATIENCE, pause=1)
