"""Runs one case of the matrix through the pages."""

import itertools
import time
from collections.abc import Callable
from typing import Any

from django.contrib.messages import get_messages
from django.http import HttpResponse

from dashboard.credentials.services import service
from dashboard.gateway import GatewayError
from dashboard.standin.resources import RESOURCES
from tests.resources.forms import submitted

from . import cases, oracles
from .cases import ARGUMENTS, LATE, Case
from .house import HASTY, PATIENT, House, Person
from .oracles import GONE, NOT_SAVED, NOT_SURE, READ, SAVED, Seen
from .rows import ROWS, Row

numbers = itertools.count(1)
REDIRECTS = (301, 302, 303)
GONE_WORDS = "already gone"
SPOILT = 12  # of so many records one at least can be edited as the rows want it
DIFFERS = "does not read as you saved it"


class Runner:
    """One person in one house, case after case."""

    def __init__(self, house: House, person: Person) -> None:
        self.house = house
        self.person = person
        self.client = person.client
        self.standin = house.standin
        self.rest: dict[str, Any] = {}

    def run(self, case: Case) -> list[str]:
        """The breaches of one case."""
        return oracles.judge(self.see(case))

    def see(self, case: Case) -> Seen:
        """Set up, break, act, look."""
        row, mark = ROWS[case.row], f"zq{next(numbers)}x{time.time_ns() % 10**9}"
        seen = self._steps()[case.step](case, row, mark)
        seen.lines, seen.errors = list(self.house.lines.kept), list(self.house.lines.errors)
        seen.secrets = self.house.secrets()
        return seen

    def _steps(self) -> dict[str, Callable[[Case, Row, str], Seen]]:
        return {
            **dict.fromkeys(cases.READS, self._read),
            "create": self._create,
            "update": self._update,
            "delete": self._delete,
            "read before update": self._update_with_bad_read,
            "look after not sure": self._look,
            "two people": self._two_people,
        }

    # reads

    def _read(self, case: Case, row: Row, mark: str) -> Seen:
        number = self._made(row, mark)
        addresses = {
            "list": row.url,
            "pick": f"{row.url}pick/?q={mark}",
            "detail": row.resource.url(number),
            "edit page": row.resource.url(number, "edit"),
            "delete page": row.resource.url(number, "delete"),
            "copy": f"{row.resource.url(action='new')}?copy={number}",
        }
        self._break(case, operation="[gl]*")
        page = self.client.get(addresses[case.step])
        self._settle(case)
        return Seen(READ, pages=[page])

    # writes

    def _create(self, case: Case, row: Row, mark: str) -> Seen:
        url = row.resource.url(action="new")
        typed = submitted(self.client.get(url), **row.typed(mark))
        return self._write(case, row, mark, "create", url, typed)

    def _update(self, case: Case, row: Row, mark: str) -> Seen:
        _, url, typed = self._opened(row, mark)
        seen = self._write(case, row, mark, "update", url, typed)
        self._note_touched(seen, row, mark)
        return seen

    def _delete(self, case: Case, row: Row, mark: str) -> Seen:
        number = self._made(row, mark)
        asked = row.resource.url(number, "delete")
        token = self.client.get(asked).context["token"]
        url = self.client.post(asked, {"token": token})["Location"]  # held back; sent from here
        typed = {"token": self.client.get(url).context["token"], "now": "1"}
        return self._write(case, row, mark, "delete", url, typed)

    def _write(
        self, case: Case, row: Row, mark: str, operation: str, url: str, typed: dict[str, Any]
    ) -> Seen:
        self._break(case, operation=operation, times=1)
        first = self.client.post(url, typed)
        self._settle(case)
        seen = Seen(verdict(first), cases.wire(case), pages=[first])
        self._follow(first, seen)
        if operation != "delete":
            texts = row.typed(mark) if operation == "create" else row.changed(mark)
            seen.typed = words(texts, mark)
        again = self.client.post(url, typed)
        seen.repeated = [verdict(again)]
        seen.pages.insert(0, again)
        seen.writes = self.house.ledger(operation=operation, resource=row.resource.name)
        seen.found = self._count(row, mark) if operation == "create" else 0
        seen.unsaid = self._unsaid(row, seen, operation, mark)
        return seen

    def _unsaid(self, row: Row, seen: Seen, operation: str, mark: str) -> bool:
        """Saved, yet the record shows something else, and the page after it keeps quiet."""
        number = seen.writes[-1]["record"] if seen.writes else None
        page = seen.pages[-1]
        opened = page.status_code == 200 and page.context and "facts" in page.context
        if operation == "delete" or seen.verdict != SAVED or not opened or not number:
            return False
        shown = self._shown(row, number)
        asked = row.typed(mark) if operation == "create" else row.changed(mark)
        same = all(
            str(shown[name]) == text
            for name, text in asked.items()
            if mark in str(text) and is_text(shown.get(name))
        )
        return not same and DIFFERS not in page.content.decode()

    def _shown(self, row: Row, number: int) -> dict[str, Any]:
        """The record as the service shows it: nobody can tell more than that."""
        resource = self.standin_resource(row)
        found = self.standin.store.get(resource, number)
        if found is None:
            return {}
        detail = self.standin.application.profile.detail(resource, *found)["data"]
        return detail.get(resource.singular, detail)

    def _follow(self, first: HttpResponse, seen: Seen) -> None:
        if first.status_code in REDIRECTS:
            page = self.client.get(first["Location"])
            seen.pages.append(page)
            if page.status_code in REDIRECTS:  # a look has settled it
                seen.pages.append(self.client.get(page["Location"]))
                seen.typed = []

    # reads around a write

    def _update_with_bad_read(self, case: Case, row: Row, mark: str) -> Seen:
        """The fault strikes the read before the PUT: nothing may go out that was not compared."""
        _, url, typed = self._opened(row, mark)
        self._break(case, operation="get", times=3)
        first = self.client.post(url, typed)
        self._settle(case)
        seen = Seen(verdict(first), "unclear", pages=[first])
        seen.writes = self.house.ledger(operation="update")
        seen.typed = words(row.changed(mark), mark) if seen.verdict == NOT_SAVED else []
        self._note_touched(seen, row, mark)
        return seen

    def _look(self, case: Case, row: Row, mark: str) -> Seen:
        """An answer is lost, and then the fault strikes the look for what became of it."""
        url = row.resource.url(action="new")
        typed = submitted(self.client.get(url), **row.typed(mark))
        self.house.fresh()
        self.standin.fault("reset-after", operation="create", times=1)
        first = self.client.post(url, typed)
        self.standin.clear_faults()
        self._be_patient(case)
        self._strike(case, operation="list", times=3)
        seen = Seen(verdict(first), "unclear", pages=[first])
        self._follow(first, seen)
        seen.typed = words(row.typed(mark), mark)
        seen.writes = self.house.ledger(operation="create", resource=row.resource.name)
        self._settle(case)
        seen.found = self._count(row, mark)
        return seen

    # two people

    def _two_people(self, case: Case, row: Row, mark: str) -> Seen:
        """Somebody else writes between the form and its Save."""
        number, url, typed = self._opened(row, mark)
        self.house.fresh()
        mine = next(iter(row.changed(mark)))
        theirs = {
            "another field": {row.name: f"Theirs {mark}"},
            "the same field": {mine: "Theirs 7"},
            "the same value": {mine: row.changed(mark)[mine]},
        }.get(case.kind, {})
        self._meddle(row, number, theirs, gone=case.kind == "deleted")
        shown = self._shown(row, number)
        theirs = {name: text for name, text in theirs.items() if shown.get(name) == text}
        page = self.client.post(url, typed)
        seen = Seen(verdict(page), pages=[page])
        seen.wire = "success" if case.kind in {"nobody", "another field", "the same value"} else ""
        seen.typed = words(row.changed(mark), mark) if seen.verdict == NOT_SAVED else []
        seen.writes = self.house.ledger(operation="update")
        self._note_touched(seen, row, mark)
        seen.rest |= theirs if seen.rest else {}
        seen.overwritten = not self._still(row, number, theirs)
        return seen

    def _meddle(self, row: Row, number: int, theirs: dict[str, Any], *, gone: bool) -> None:
        store, resource = self.standin.store, self.standin_resource(row)
        found = store.get(resource, number)
        record = {name: value for name, value in found[1].items() if name != resource.id_field}
        with store.transaction():
            if gone:
                store.remove(resource, number)
            elif theirs:
                store.replace(resource, number, {**record, **theirs})

    def _still(self, row: Row, number: int, theirs: dict[str, Any]) -> bool:
        found = self.standin.store.get(self.standin_resource(row), number)
        return found is None or all(found[1].get(name) == value for name, value in theirs.items())

    def standin_resource(self, row: Row) -> Any:
        """The stand-in's own idea of the row's resource."""
        return RESOURCES[row.resource.name]

    # helpers

    def _made(self, row: Row, mark: str) -> int:
        """A record of the service to work on, made past the dashboard."""
        self.house.fresh()
        try:
            made = self.house.gateway(self.person).create(row.resource.endpoint, row.record(mark))
        except GatewayError as error:  # the row's own mistake
            raise RuntimeError(f"{error}: {getattr(error, 'fields', '')}") from error
        assert made.id
        return made.id

    def _opened(self, row: Row, mark: str) -> tuple[int, str, dict[str, Any]]:
        """The edit form of a record, filled in. The service may send a few of its fields so that
        nobody can read them: those are closed, and some records are left without what is to be
        typed or without what they cannot be saved without.
        """
        for _ in range(SPOILT):
            number = self._made(row, mark)
            url = row.resource.url(number, "edit")
            typed = submitted(self.client.get(url))
            known = all(any(typed.get(name, "")) for name in row.needs)
            if known and typed.keys() >= row.changed(mark).keys():
                self.rest = self._rest(row, number, mark) if row.whole else {}
                agreed = {"lose_unreadable": "on"} if row.whole else {}
                return number, url, {**typed, **agreed, **row.changed(mark)}
        raise RuntimeError(f"no {row.resource.singular} could be edited")

    def _rest(self, row: Row, number: int, mark: str) -> dict[str, Any]:
        """What of the record an update of the whole must carry: all that the service showed."""
        shown = self._shown(row, number)
        record = row.record(mark).items()
        return {
            name: value
            for name, value in record
            if name == "items" or str(shown.get(name)) == str(value)
        }

    def _break(self, case: Case, **where: Any) -> None:
        self.house.fresh()
        self._be_patient(case)
        self._strike(case, **where)

    def _be_patient(self, case: Case) -> None:
        service().timeout = HASTY if case.kind in ARGUMENTS else PATIENT

    def _strike(self, case: Case, **where: Any) -> None:
        self.standin.fault(case.fault, resource=case.row, pair="acme/office", **where)

    def _settle(self, case: Case) -> None:
        """Wait for what comes late, and let no fault strike what follows."""
        self.standin.clear_faults()
        if case.kind in ARGUMENTS:
            time.sleep(float(ARGUMENTS[case.kind]) + 0.1 if case.kind in LATE else 0)
            service().timeout = PATIENT
            service().breaker.succeeded()

    def _note_touched(self, seen: Seen, row: Row, mark: str) -> None:
        seen.touched = {*row.changed(mark), *row.always}
        seen.rest = dict(self.rest)

    def _count(self, row: Row, mark: str) -> int:
        resource = self.standin_resource(row)
        found = self.standin.store.page(
            resource, [(f"json_extract(body, '$.{row.name}') = ?", mark)], "id", 10, 0
        )
        return len(found)


def is_text(shown: object) -> bool:
    """Whether it reads as a text: of anything else the page says that it is not readable."""
    return isinstance(shown, str | int) and not isinstance(shown, bool)


def verdict(page: HttpResponse) -> str:
    """What a person is told of a form that was sent."""
    if page.status_code not in REDIRECTS:
        return NOT_SAVED
    if page["Location"].startswith("/unsure/"):
        return NOT_SURE
    said = " ".join(str(message) for message in _messages(page))
    return GONE if GONE_WORDS in said else SAVED


def words(typed: dict[str, Any], mark: str) -> list[str]:
    """What must not be lost of it."""
    return [text for text in typed.values() if mark in str(text)]


def _messages(page: HttpResponse) -> list[Any]:
    request = getattr(page, "wsgi_request", None)
    return list(get_messages(request)) if request else []
