"""Runs two dashboards and a worker with clocks apart on one database, against the stand-in.

    TEST_DATABASE_URL=... python -m tests.writes.two_dashboards FOLDER SITE WORKER

SITE, WORKER: how many seconds the clocks of the second dashboard and of the worker are ahead.

Prints one JSON object: `rounds` and `lost` (rounds in which both edits were told Saved), `wrong`
(rounds in which the record is not what the one told Saved had typed); of a create that is still
under way at the first dashboard `offered` (the second offers to send it again) and `told`; and of
deletions at the second dashboard what `deletions.outcomes` counts.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any

import httpx

from dashboard.standin import StandIn
from tests.processes import running
from tests.waits import wait_until

from . import deletions

ROUNDS = 5
LATENCY = 0.2  # seconds that each call to the API takes: reads and writes overlap
WRITING = 3  # seconds that the create takes


@contextmanager
def dashboard(clock: int) -> Iterator[str]:
    """Run one dashboard under gunicorn; yields its address."""
    command = [sys.executable, "-m", "gunicorn", "-b", "127.0.0.1:0", "--threads", "4"]
    command += ["tests.writes.served:application"]
    environment = os.environ | {"CLOCK": str(clock)}
    with running(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        line = next(line for line in process.stderr or () if "Listening at: " in line)
        yield line.split("Listening at: ")[1].split()[0]


def person(name: str, keys: tuple[str, str], address: str) -> httpx.Client:
    """A signed-in manager's client of one dashboard."""
    from django.conf import settings
    from django.test import Client

    from dashboard.people import permissions
    from dashboard.people.models import User
    from tests.workspaces import connect

    user, new = User.objects.get_or_create(username=name, defaults={"email": f"{name}@a.test"})
    if new:
        permissions.set_role(user, permissions.MANAGER)
        connect(user, access=keys[0], secret=keys[1], workspace="Acme")
    client = Client()
    client.force_login(user)
    cookie = {settings.SESSION_COOKIE_NAME: client.cookies[settings.SESSION_COOKIE_NAME].value}
    return httpx.Client(base_url=address, cookies=cookie, timeout=60, trust_env=False)


def is_saved(answer: httpx.Response) -> bool:
    """Whether the page says that the record was saved."""
    return answer.status_code == 302 and not answer.headers["Location"].startswith("/unsure/")


def edit_together(standin: StandIn, people: list[httpx.Client], mark: str) -> tuple[int, bool]:
    """Edit one new contact through both dashboards at once.

    Returns how many edits were answered as saved, and whether the record shows every one of these.
    """
    from tests.page_forms import fields

    standin.latency = 0
    page: Any = people[0].get("/contacts/new/")
    typed = fields(page, cstname=mark)
    url = people[0].post("/contacts/new/", data=typed).headers["Location"]
    words = [f"{mark} of {number}" for number in range(len(people))]
    forms = []
    for browser, word in zip(people, words, strict=True):
        opened: Any = browser.get(f"{url}edit/")
        forms.append(fields(opened, cstaddress=word))
    standin.latency = LATENCY
    with ThreadPoolExecutor() as pool:
        posts = [
            pool.submit(browser.post, f"{url}edit/", data=form)
            for browser, form in zip(people, forms, strict=True)
        ]
        are_saved = [is_saved(post.result()) for post in posts]
    standin.latency = 0
    page = people[0].get(url).text
    return sum(are_saved), all(
        word in page for word, is_in in zip(words, are_saved, strict=True) if is_in
    )


def create_slowly(standin: StandIn, here: httpx.Client, there: httpx.Client) -> dict[str, Any]:
    """Create at one dashboard and list at the other while the service is still working."""
    from dashboard.writes.models import Write
    from tests.page_forms import fields

    page: Any = here.get("/contacts/new/")
    typed = fields(page, cstname="Zebra Slow")
    standin.fault(f"slow:{WRITING}", operation="create", times=1)
    with ThreadPoolExecutor() as pool:
        post = pool.submit(here.post, "/contacts/new/", data=typed)
        wait_until(Write.objects.filter(state=Write.State.SENDING).exists)
        listed = there.get("/unsure/").text
        return {"offered": "Zebra Slow" in listed, "told": is_saved(post.result())}


def main(folder: str, site: int, worker: int) -> None:
    """Run all scenarios and print the result as JSON."""
    with StandIn(profile="verbose", size="small", seed=1) as standin, ExitStack() as stack:
        os.environ |= {"PROOF_API": standin.url, "PROOF_CACHE": folder}
        os.environ["DJANGO_SETTINGS_MODULE"] = "tests.writes.served_settings"
        import django

        from tests.databases import make_tables

        django.setup()
        make_tables()
        right, ahead = (stack.enter_context(dashboard(clock)) for clock in (0, site))
        pairs = standin.keys["acme"]
        ann, ben = person("ann", pairs[0], right), person("ben", pairs[1], ahead)
        rounds = [
            edit_together(standin, [ann, ben][:: 1 if number % 2 else -1], f"zeb{number}")
            for number in range(ROUNDS)
        ]
        stack.enter_context(deletions.worker(worker))
        report = {
            "rounds": ROUNDS,
            "lost": sum(saved > 1 for saved, _ in rounds),
            "saved": sum(saved >= 1 for saved, _ in rounds),
            "wrong": sum(not rightly for _, rightly in rounds),
            **create_slowly(standin, ann, person("ann", pairs[0], ahead)),
            **deletions.outcomes(standin, ben),
        }
    print(json.dumps(report))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
