"""Every button of the dashboard that writes: the form behind it, filled in, and what it is to do.

A new page that writes joins by a function here.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from .browser import token_of, words_of
from .environment import Environment, User
from .samples import SAMPLES, Sample, conversion

Calls = Counter[tuple[str, str]]


@dataclass
class Submit:
    """A filled form: what its button sends, and the writes by (resource, operation) that it makes.

    words: what must not be lost. main: how many of the calls the answer is about; a message tells
    of the others.
    """

    url: str
    data: dict[str, Any]
    calls: Calls
    mark: str
    words: list[str] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    main: int = 9


@dataclass(frozen=True)
class Opener:
    """Opens and fills in forms as `user`."""

    home: Environment
    user: User

    def create(self, sample: Sample, mark: str) -> Submit:
        url, typed = f"{sample.url}new/", sample.typed(mark)
        return self._filled(url, typed, mark, {(sample.resource.name, "create"): 1})

    def update(self, sample: Sample, mark: str) -> Submit:
        url, typed = f"{self._record(sample, mark)}edit/", sample.changed(mark)
        return self._filled(url, typed, mark, {(sample.resource.name, "update"): 1})

    def quick(self, mark: str) -> Submit:
        """A contact created inside another form."""
        url = "/contacts/pick/new/?prefix=new"
        token = token_of(self.user.browser.get(url), "quick-token")
        data = {"quick-token": token, "new-cstname": mark, "new-contact_type": "1"}
        calls = Counter({("contacts", "create"): 1})
        return Submit(url, data, calls, mark, headers={"HX-Request": "true"})

    def replace(self, mark: str) -> Submit:
        """A corrected copy of a lead, which is then deleted."""
        url = f"{self._record(SAMPLES['leads'], mark)}replace/"
        calls = {("leads", "create"): 1, ("leads", "delete"): 1}
        return self._filled(url, {"cstname": mark}, mark, calls, main=1)

    def convert(self, mark: str) -> Submit:
        """A contact, a company and a deal made of a lead, which is then deleted."""
        url = f"{self._record(SAMPLES['leads'], mark)}convert/"
        typed = {**conversion(mark), "delete_lead": "on"}
        calls = {("contacts", "create"): 2, ("deals", "create"): 1, ("leads", "delete"): 1}
        return self._filled(url, typed, mark, calls, main=3)

    def invoice(self, mark: str) -> Submit:
        """An invoice made of an estimate."""
        number = self.home.create(self.user, SAMPLES["estimates"], mark)
        url = f"/invoices/new/?estimate={number}"
        return self._filled(url, {"reference": mark}, mark, {("invoices", "create"): 1})

    def again(self, mark: str) -> Submit:
        """The button "Send again" of a contact whose outcome is unknown."""
        first = self.create(SAMPLES["contacts"], mark)
        self.home.standin.fault("reset-before", operation="create", times=1)
        url = self.user.browser.post(first.url, first.data).headers["Location"]
        self.home.end_looks()
        data = {"token": token_of(self.user.browser.get(url))}
        return Submit(f"{url}again/", data, first.calls, mark, first.words)

    def _record(self, sample: Sample, mark: str) -> str:
        return f"{sample.url}{self.home.create(self.user, sample, mark)}/"

    def _filled(
        self, url: str, typed: dict[str, Any], mark: str, calls: dict[Any, int], main: int = 9
    ) -> Submit:
        data = self.user.browser.form(url, **typed)
        return Submit(url, data, Counter(calls), mark, words_of(typed, mark), main=main)


Open = Callable[[Opener, str], Submit]


def _of(sample: Sample, step: str, opener: Opener, mark: str) -> Submit:
    return getattr(opener, step)(sample, mark)


BUTTONS: dict[str, Open] = {
    f"{name}: {step}": partial(_of, sample, step)
    for name, sample in SAMPLES.items()
    for step in ("create", "update")
} | {
    "contacts: quick": Opener.quick,
    "leads: replace": Opener.replace,
    "leads: convert": Opener.convert,
    "estimates: invoice": Opener.invoice,
    "contacts: send again": Opener.again,
}


def chosen(resources: list[str], steps: list[str]) -> Iterator[str]:
    """The names of the buttons; empty lists stand for all."""
    for name in BUTTONS:
        resource, _, step = name.partition(": ")
        if (not resources or resource in resources) and (not steps or step in steps):
            yield name


def calls_of(home: Environment) -> Calls:
    """How many writes of (resource, operation) reached the service since `home.fresh()`."""
    return Counter((entry["resource"], entry["operation"]) for entry in home.writes())
