"""Runs one case of the matrix through the pages."""

import itertools
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import httpx

from dashboard.writes import deletions
from dashboard.writes.deletions import send_deletion
from dashboard.writes.models import Write
from dashboard.writes.outcomes import DONE
from tests.helpers import age_deletions

from . import cases, checks
from .browser import GONE, NOT_SAVED, NOT_SURE, SAVED, filled, text_of, token_of, verdict, words_of
from .cases import Case
from .checks import READ, Outcome
from .environment import RESOURCES, Environment, User
from .samples import SAMPLES, Sample

numbers = itertools.count(1)
SPOILT = 12  # at least one of so many records of the hostile profile can be edited
COUNTDOWN = timedelta(seconds=9)
TOLD = {"was deleted.": SAVED, "was not deleted.": NOT_SAVED, "know if": NOT_SURE}
TOLD["was already gone."] = GONE
DIFFERS = "The CRM said that it saved this, but shows"


def run(home: Environment, user: User, case: Case) -> list[str]:
    """The breaches of one case."""
    home.fresh()
    seen = Run(home, user, case).see()
    breaches = checks.breaches(seen) + checks.of_pages(home)
    home.fresh()
    return breaches


class Run:
    """One case: prepare, set the fault, act, look."""

    def __init__(self, home: Environment, user: User, case: Case) -> None:
        self.home, self.user, self.case = home, user, case
        self.browser = user.browser
        self.sample: Sample = SAMPLES[case.row]
        self.mark = f"zq{next(numbers)}x{time.time_ns() % 10**9}"
        self.typed = {"create": self.sample.typed}.get(case.step, self.sample.changed)(self.mark)
        self.rest: dict[str, Any] = {}

    def see(self) -> Outcome:
        """What came of the case."""
        if self.case.step in cases.READS:
            return self._read()
        step: Callable[[], Outcome] = getattr(self, f"_{self.case.step.replace(' ', '_')}")
        return step()

    # steps

    def _read(self) -> Outcome:
        url, number = self.sample.url, self.home.create(self.user, self.sample, self.mark)
        addresses = {
            "list": url,
            "pick": f"{url}pick/?q={self.mark}",
            "detail": f"{url}{number}/",
            "edit page": f"{url}{number}/edit/",
            "copy": f"{url}new/?copy={number}",
        }
        self._strike(operation="[gl]*")
        self.browser.get(addresses[self.case.step])
        self.home.settle(self.case.kind)
        return Outcome(READ)

    def _create(self) -> Outcome:
        url = f"{self.sample.url}new/"
        return self._write("create", url, self.browser.form(url, **self.typed))

    def _update(self) -> Outcome:
        number, data = self._opened()
        return self._write("update", f"{self.sample.url}{number}/edit/", data)

    def _delete(self) -> Outcome:
        number = self.home.create(self.user, self.sample, self.mark)
        deletion = pending_deletion(self.user, f"{self.sample.url}{number}/delete/")
        self._strike(operation="delete", times=1)
        seen = self._send_deletion(deletion)
        self.home.settle(self.case.kind)
        seen.wire = cases.wire(self.case)
        seen.repeated = [self._send_deletion(deletion).verdict]
        seen.writes = self.home.ledger(operation="delete", resource=self.case.row)
        return seen

    def _send_deletion(self, deletion: Write) -> Outcome:
        """Let the worker send it, and see what the toast says."""
        age_deletions(COUNTDOWN)
        send_deletion.call(deletion.pk)
        page = self.browser.get(f"/unfinished/deletions/{deletion.pk}/outcome/")
        told = [outcome for words, outcome in TOLD.items() if words in text_of(page)]
        return Outcome("".join(told[-1:]), shown=page)  # "know if it was deleted." has both words

    def _write(self, operation: str, url: str, data: dict[str, Any]) -> Outcome:
        self._strike(operation=operation, times=1)
        seen = self._submit(url, data, cases.wire(self.case))
        seen.repeated = [verdict(self.browser.follow(self.browser.post(url, data)))]
        seen.writes = self.home.ledger(operation=operation, resource=self.case.row)
        if operation == "create":
            seen.found = self._count()
        seen.unsaid = self._unsaid(seen)
        return seen

    def _submit(self, url: str, data: dict[str, Any], wire: str) -> Outcome:
        """Send a form, end the fault, and follow to the page that the answer leads to."""
        answer = self.browser.post(url, data)
        self.home.settle(self.case.kind)
        pages = self.browser.follow(answer)
        seen = Outcome(verdict(pages), wire, shown=pages[-1])
        if len(pages) < 3:  # otherwise the Not sure page has found the record
            seen.typed = words_of(self.typed, self.mark)
        seen.touched, seen.rest = {*self.typed, *self.sample.always}, dict(self.rest)
        return seen

    def _read_before_update(self) -> Outcome:
        """The fault strikes the read before the PUT: nothing is sent that was not compared."""
        number, data = self._opened()
        self._strike(operation="get", times=3)
        seen = self._submit(f"{self.sample.url}{number}/edit/", data, "unclear")
        seen.writes = self.home.ledger(operation="update")
        seen.typed = seen.typed if seen.verdict == NOT_SAVED else []
        return seen

    def _look_after_not_sure(self) -> Outcome:
        """An answer is lost, and the fault strikes the search for what became of the write."""
        url = f"{self.sample.url}new/"
        self.typed = self.sample.typed(self.mark)
        data = self.browser.form(url, **self.typed)
        self.home.fresh()
        self.home.standin.fault("reset-after", operation="create", times=1)
        answer = self.browser.post(url, data)
        self.home.standin.clear_faults()
        self._strike(operation="list", times=3)
        pages = self.browser.follow(answer)
        writes = self.home.ledger(operation="create", resource=self.case.row)
        self.home.settle(self.case.kind)
        typed = words_of(self.typed, self.mark)
        seen = Outcome(verdict(pages), "unclear", writes, typed=typed, shown=pages[-1])
        seen.found = self._count()
        return seen

    def _two_people(self) -> Outcome:
        """Somebody else writes between the form and its Save."""
        kind, row = self.case.kind, self.case.row
        number, data = self._opened()
        own_field = next(iter(self.typed))
        changes = {
            "another field": {self.sample.name: f"Theirs {self.mark}"},
            "the same field": {own_field: "Theirs 7"},
            "the same value": {own_field: self.typed[own_field]},
        }.get(kind, {})
        if kind == "deleted":
            self.home.standin.store.remove(RESOURCES[row], number)
        elif changes:
            self.home.change(row, number, changes)
        record = self.home.shown(row, number)
        changes = {name: text for name, text in changes.items() if record.get(name) == text}
        wire = "success" if kind in {"nobody", "another field", "the same value"} else ""
        seen = self._submit(f"{self.sample.url}{number}/edit/", data, wire)
        seen.typed = seen.typed if seen.verdict == NOT_SAVED else []
        seen.writes = self.home.ledger(operation="update")
        seen.rest |= changes if seen.rest else {}
        now = self.home.stored(row, number)
        seen.overwritten = bool(now) and any(now.get(name) != changes[name] for name in changes)
        return seen

    def _send_again(self) -> Outcome:
        """The answer to a write is lost, and its person has it sent again, pressing twice: one more
        call, of the same body.
        """
        operation, url = self.case.kind, self.sample.url
        if operation == "create":
            url, self.typed = f"{url}new/", self.sample.typed(self.mark)
            data = self.browser.form(url, **self.typed)
        elif operation == "update":
            number, data = self._opened()
            url = f"{url}{number}/edit/"
        else:
            number = self.home.create(self.user, self.sample, self.mark)
            deletion = pending_deletion(self.user, f"{url}{number}/delete/")
        self.home.fresh()
        self.home.standin.fault("reset-before", operation=operation, times=1)
        if operation == "delete":
            self._send_deletion(deletion)
            place = f"/unsure/{deletion.pk}/"
        else:
            place = self.browser.post(url, data).headers["Location"]
        self.home.end_looks()
        pressed = {"token": token_of(self.browser.get(place))}
        answers = [self.browser.post(f"{place}again/", pressed) for _ in range(2)]
        page = self.browser.follow(answers[0])[-1]
        first, *again = self.home.ledger(operation=operation, resource=self.case.row)
        words = f"Sent again, and {DONE[operation]}."
        outcome = SAVED if words in text_of(page) else NOT_SAVED
        same = [entry for entry in again if entry["body"] == first["body"]]
        seen = Outcome(outcome, "success" if same and not first["effect"] else "unclear", again)
        seen.touched, seen.rest = {*self.typed, *self.sample.always}, dict(self.rest)
        return seen

    # helpers

    def _opened(self) -> tuple[int, dict[str, Any]]:
        """A record and its edit form, filled in. The hostile profile leaves some records without
        the fields that are typed or without what they cannot be saved without: these are skipped.
        """
        for _ in range(SPOILT):
            number = self.home.create(self.user, self.sample, self.mark)
            page = self.browser.get(f"{self.sample.url}{number}/edit/")
            data = filled(page, {})
            known = all(any(data.get(name, "")) for name in self.sample.needs)
            if known and data.keys() >= self.typed.keys():
                self.home.fresh()
                if not self.sample.whole:
                    return number, data | self.typed
                self.rest = self._rest(number)
                return number, data | {"lose_unreadable": "on"} | self.typed
        raise RuntimeError(f"no record of {self.case.row} can be edited")

    def _rest(self, number: int) -> dict[str, Any]:
        """What an update of the whole record must carry: all that the service showed."""
        record = self.home.shown(self.case.row, number)
        return {
            name: value
            for name, value in self.sample.record(self.mark).items()
            if name == "items" or str(record.get(name)) == str(value)
        }

    def _strike(self, **where: Any) -> None:
        self.home.be_patient(self.case.kind)
        pair = self.user.pair
        self.home.standin.fault(self.case.fault, resource=self.case.row, pair=pair, **where)

    def _unsaid(self, seen: Outcome) -> bool:
        """Whether the record is not as it was saved and the page after saving does not say so."""
        number = seen.writes[-1]["record"] if seen.writes else None
        if seen.verdict != SAVED or not number or not _is_record(seen.shown, self.sample):
            return False
        record = self.home.shown(self.case.row, number)
        same = all(
            str(record[name]) == text
            for name, text in self.typed.items()
            if self.mark in str(text) and _is_text(record.get(name))
        )
        return not same and seen.shown is not None and DIFFERS not in text_of(seen.shown)

    def _count(self) -> int:
        condition = f"json_extract(body, '$.{self.sample.name}') = ?"
        return self.home.count(self.case.row, condition, self.mark)


def pending_deletion(user: User, asked: str) -> Write:
    """Ask to delete a record."""
    page = user.browser.get(asked.removesuffix("delete/"))
    user.browser.post(asked, {"snapshot": token_of(page, "snapshot")})
    resource, record_id = asked.strip("/").split("/")[:2]
    return deletions.of_person(user.account).get(
        state=Write.State.WAITING, resource=resource, record_id=record_id
    )


def _is_record(page: httpx.Response | None, sample: Sample) -> bool:
    """Whether a page shows a record (and not a list or an error)."""
    rest = page.url.path.removeprefix(sample.url) if page is not None else ""
    return page is not None and page.status_code == 200 and rest.rstrip("/").isdigit()


def _is_text(value: object) -> bool:
    """Whether a value reads as a text; of any other the page says that it is not readable."""
    return isinstance(value, str | int) and not isinstance(value, bool)
