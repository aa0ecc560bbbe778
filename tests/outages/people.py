"""People of two workspaces who work on whatever happens (tests/outages/crowd.py)."""

import random
import time
from collections import Counter
from typing import Any

import httpx

from dashboard.standin import StandIn
from tests import nginx
from tests.faults.browser import token_of
from tests.page_forms import fields

WORKSPACES = ("acme", "globex")
TRIES = 8  # presses of one button
BY_NAME = {"sni_hostname": nginx.HOST}
READ = (
    "/", "/contacts/?search=zebra", "/contacts/?page=2", "/deals/", "/deals/board/", "/invoices/",
    "/estimates/?page=2", "/tasks/agenda/", "/unfinished/",
)  # fmt: skip
PAUSE = 0.5  # seconds before a button is pressed again


class Person:
    """Somebody of one workspace who works on, whatever happens, until the requests are used up."""

    def __init__(self, address: str, cookie: dict[str, str], workspace: str, number: int) -> None:
        self.workspace, self.mark = workspace, f"zebra-{workspace}-{number}"
        self.foreign = next(f"zebra-{each}-" for each in WORKSPACES if each != workspace)
        options: dict[str, Any] = {"timeout": 90, "trust_env": False, "verify": False}
        headers = {"Host": nginx.HOST, "Referer": f"https://{nginx.HOST}/"}
        self.browser = httpx.Client(base_url=address, cookies=cookie, headers=headers, **options)
        self.random = random.Random(number)
        self.own: list[str] = []  # paths of records that this person created
        self.told: dict[str, bool] = {}  # what was created, and whether it was said to be saved
        self.statuses: Counter[str] = Counter()
        self.foreign_rows, self.worst, self.count = 0, 0.0, 0

    def work(self, requests: int) -> None:
        actions = [self.read] * 6 + [self.create] * 2 + [self.change, self.delete]
        while self.count < requests:
            self.random.choice(actions)()

    def ask(self, method: str, path: str, **more: Any) -> httpx.Response | None:
        begun = time.monotonic()
        try:
            answer = self.browser.request(method, path, extensions=BY_NAME, **more)
        except httpx.TransportError as error:
            self.statuses[type(error).__name__] += 1
            return None
        finally:
            self.worst = max(self.worst, time.monotonic() - begun)
            self.count += 1
        self.statuses[str(answer.status_code)] += 1
        self.foreign_rows += self.foreign in answer.text
        return answer

    def page(self, path: str) -> httpx.Response | None:
        """The page; asked for again while there is none."""
        for _ in range(TRIES):
            answer = self.ask("GET", path)
            if answer is not None and answer.status_code < 500:
                return answer
            time.sleep(PAUSE)
        return None

    def post(self, path: str, form: dict[str, Any]) -> httpx.Response | None:
        """The answer to a form; the same button is pressed again while there is no page."""
        for _ in range(TRIES):
            answer = self.ask("POST", path, data=form)
            if answer is not None and answer.status_code not in (502, 503, 504):
                return answer
            time.sleep(PAUSE)
        return None

    def read(self) -> None:
        self.page(self.random.choice(READ))

    def create(self) -> None:
        page = self.page("/contacts/new/")
        if page is None or page.status_code != 200:
            return
        name = f"{self.mark}-{len(self.told)}"
        self.told[name] = False
        answer = self.post("/contacts/new/", fields(page, cstname=name))  # type: ignore[arg-type]
        url = answer.headers.get("Location", "") if answer is not None else ""
        if url.startswith("/contacts/"):  # not to the page of a write that is not sure
            self.told[name] = True
            self.own.append(url.partition("?")[0])

    def change(self) -> None:
        if not self.own:
            return
        path = self.random.choice(self.own)
        page = self.page(f"{path}edit/")
        if page is not None and page.status_code == 200:
            phone = f"+44 20 7946 {self.random.randrange(1000, 9999)}"
            self.post(f"{path}edit/", fields(page, cstmobile=phone))  # type: ignore[arg-type]

    def delete(self) -> None:
        if not self.own:
            return
        path = self.own.pop()
        page = self.page(path)
        if page is not None and page.status_code == 200:
            form = {name: token_of(page, name) for name in ("snapshot", "csrfmiddlewaretoken")}
            self.post(f"{path}delete/", form)

    def unsettled(self) -> str:
        """The text of Not sure and Unfinished."""
        pages = [self.page("/unsure/"), self.page("/unfinished/")]
        return " ".join(page.text for page in pages if page is not None)


def people(standin: StandIn, address: str, count: int) -> list[Person]:
    """Managers with keys, half of them in each workspace."""
    from django.conf import settings
    from django.test import Client

    from dashboard.people import permissions
    from dashboard.people.models import User
    from tests.workspaces import connect

    found = []
    for number in range(count):
        workspace = WORKSPACES[number % 2]
        user = User.objects.create(username=f"person{number}", email=f"p{number}@a.test")
        permissions.set_role(user, permissions.MANAGER)
        access, secret = standin.keys[workspace][0]
        connect(user, access=access, secret=secret, workspace=workspace)
        client = Client()
        client.force_login(user)
        name = settings.SESSION_COOKIE_NAME
        cookie = {name: client.cookies[name].value}
        found.append(Person(address, cookie, workspace, number))
    return found
