"""Four people in two workspaces type, save, delete, undo and settle while faults come and go and
processes die.

Hypothesis chooses the steps, and nothing depends on a clock or on who is faster: what somebody
does while a write of another is under way is done in full between the look at the record and the
call. The stand-in's ledger is the judge: what was told is true, one form makes one call, nobody's
words are replaced unseen, no page has a word of the other workspace, whose every text carries a
mark (workspaces.py), and in the end all that was typed is in a record or is reached by its owner.
"""

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import timedelta
from pkgutil import resolve_name
from typing import Any

import httpx
from django.core.cache import cache
from django_tasks_db.models import DBTaskResult
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from dashboard.writes import deletions
from dashboard.writes.models import Draft, Write
from tests.helpers import age_deletions, end_looks, run_worker

from . import browser, deaths, internals, judge
from .browser import GONE, NOT_SAVED, NOT_SURE, SAVED, form_of, links, text_of, verdict
from .environment import Environment, User
from .kinds import KINDS, LISTS_ONLY, OFTEN
from .samples import SAMPLES, Sample
from .workspaces import MARKS, placed

STILL, NO_NUMBER = "Still being saved", "t return its number"
DIFFERS = "Saved, but the CRM now shows"
TOLD = {"was deleted.": SAVED, "was not deleted.": NOT_SAVED, "know if": NOT_SURE}
TOLD["was already gone."] = GONE
COUNTDOWN = 9  # seconds
RECENT = 2  # people meet at the records that were made last
PAGES = ("{url}", "{url}?search=qq", "{url}pick/?q=qq", "{url}new/?copy={number}")
PAGES += tuple(f"{{url}}{{number}}/{page}" for page in ("", "history/", "edit/"))
PAGES += ("/titles/?{name}={number}", "/unfinished/", "/unsure/")
WORLDS, OPERATION = ("-before", "-after"), st.sampled_from(["*", "[cud]*", "[gl]*"])
KIND = st.sampled_from(["", *KINDS, *OFTEN * 4])
WRITTEN = [kind for kind in (*KINDS, *OFTEN * 4) if kind not in LISTS_ONLY]
# What the next write of a person meets; "" for no fault.
STRIKE = st.just("") | st.builds(str.__add__, st.sampled_from(WRITTEN), st.sampled_from(WORLDS))
POINT = st.sampled_from(range(1, 21))  # a statement at which a process dies
WHO, WHICH = st.sampled_from(range(4)), st.sampled_from(range(21))
PART = st.sampled_from([slice(1), slice(1, 2), slice(2)])
THEN = st.sampled_from(
    ["", "store", "send", "twice", "same form", "colleague before", "colleague meanwhile"]
)
SAMPLE = st.sampled_from(list(SAMPLES))
numbers = itertools.count(1)


@dataclass(eq=False)
class Form:
    """An open form: what it sends and what it shows of its record. `kept`: it was sent or stored,
    so that its words must be found again. `most`: how many records there may be of it: one, and one
    for each time that the service lied or its person had it sent again. `calm`: no fault met it.
    """

    user: User
    sample: Sample
    mark: str
    url: str
    typed: dict[str, Any]
    data: dict[str, Any]
    number: int = 0
    seen: dict[str, Any] = field(default_factory=dict)
    kept: bool = False
    dropped: bool = False
    most: int = 1
    calm: bool = True

    @property
    def words(self) -> list[str]:
        """What must not be lost."""
        return [text for text in self.typed.values() if self.mark in str(text)]


class People(RuleBasedStateMachine):
    """A subclass sets the class attributes: `records` are ids by workspace and resource, `found`
    the first breach, should the dashboard catch it or a replay miss it.
    """

    found: list[str]
    home: Environment
    users: list[User]
    records: dict[str, dict[str, list[int]]]
    copy: Any
    figures: Counter[str]

    def __init__(self) -> None:
        super().__init__()
        for model in (Write, Draft, DBTaskResult):
            model.objects.all().delete()
        cache.clear()
        self.home.fresh()
        self.home.standin.store.restore(self.copy)
        self.known = deepcopy(self.records)
        self.forms: list[Form] = []  # open ones
        self.all: dict[str, Form] = {}
        self.calls: Counter[str] = Counter()  # by token
        self.deletions: dict[int, User] = {}
        self.book: list[dict[str, Any]] = []

    def teardown(self) -> None:
        """Look for all that was typed."""
        self.home.fresh()
        if not self.found:
            pages = {user.pair: "\n".join(_reachable(user)) for user in self.users}
            self.report(judge.lost(self.all.values(), self.book, pages))

    @invariant()
    def pages_are_sound(self) -> None:
        """No page of this step crashed, shows a key, or has a word of the other workspace."""
        self.report(judge.of_pages(self.home))
        self.book += self.home.writes()
        self.figures.update(steps=1, writes=len(self.home.writes()))
        for entry in self.home.writes():
            if entry["operation"] == "create" and entry["effect"] and entry["record"]:
                self.known[entry["workspace"]][entry["resource"]].append(entry["record"])
        self.home.forget()

    def check(self, kept: object, words: str) -> None:
        if not kept:
            self.found.append(words)
            raise AssertionError(words)

    def report(self, breaches: Iterable[str]) -> None:
        """Fail with the first of the breaches."""
        for words in breaches:
            self.check(kept=False, words=words)

    # faults

    @rule(who=WHO, kind=KIND, operation=OPERATION, times=st.sampled_from([1, 2, 3]))
    def strike(self, who: int, kind: str, operation: str, times: int) -> None:
        """All faults end, or the next calls of one person meet a fault."""
        if kind:
            self._strike(self.users[who], kind, operation, times)
        else:
            self.home.settle()

    def _strike(self, user: User, kind: str, operation: str = "[cud]*", times: int = 1) -> None:
        if kind:
            self.home.standin.fault(kind, operation=operation, times=times, pair=user.pair)

    # reading

    @rule(who=WHO, name=SAMPLE, which=WHICH, page=st.sampled_from(PAGES))
    def read(self, who: int, name: str, which: int, page: str) -> None:
        """Somebody reads a page, and then somebody of the other workspace tries its address."""
        number = self._some(self.users[who], name, which)
        url = page.format(url=SAMPLES[name].url, name=name, number=number)
        for user in (self.users[who], self.users[who - 2]):
            user.browser.get(url)

    def _some(self, user: User, resource: str, which: int) -> int:
        known = self.known[user.workspace][resource][-RECENT:]
        return known[which % len(known)]

    # typing

    @rule(who=WHO, name=SAMPLE, which=WHICH, part=PART, then=THEN, kind=STRIKE)
    def type(self, who: int, name: str, which: int, part: slice, then: str, kind: str) -> None:
        """Fill in a new form or change a record, and go on with it."""
        user = self.users[who]
        number = which % 3 and self._some(user, name, which)
        if form := self._type(user, SAMPLES[name], number, part):
            self._strike(user, kind)
            self._go_on(form, part, then)

    @rule(which=WHICH, part=PART, then=THEN, kind=STRIKE)
    def go_on(self, which: int, part: slice, then: str, kind: str) -> None:
        """Go on with an open form."""
        for form in self._open(which):
            self._strike(form.user, kind)
            self._go_on(form, part, then)

    def _open(self, which: int) -> list[Form]:
        """One of the open forms, if there is any; what a rule draws does not depend on it."""
        return [self.forms[which % len(self.forms)]] if self.forms else []

    def _type(self, user: User, sample: Sample, number: int, part: slice) -> Form | None:
        """The form; None if the service left its page or a field unreadable."""
        mark = f"zq{next(numbers)}x{MARKS[user.workspace]}"
        customer = self.records[user.workspace]["contacts"][0]
        typed = placed(sample.typed(mark), user.workspace, customer)
        if number:
            changed = sample.changed(mark)
            typed = dict([*changed.items()][part]) or changed
        url = f"{sample.url}{number}/edit/" if number else f"{sample.url}new/"
        form, page = Form(user, sample, mark, url, typed, {}, number), user.browser.get(url)
        data = form_of(page)
        if data is None or (number and not data.keys() >= typed.keys()):
            return None
        self._show(form, browser.filled(page, typed))
        form.calm = not any(entry["fault"] for entry in self.home.ledger())
        self.forms.append(form)
        self.all[mark] = form
        return form

    def _show(self, form: Form, data: dict[str, Any]) -> None:
        """The form as a page shows it now; its snapshot tells what the person knows."""
        form.data = data
        if form.number:
            of = f"{form.sample.resource.name}/{form.number}"
            seen = resolve_name(internals.SNAPSHOT_OF_FORM)(data["snapshot"], of=of)
            assert seen is not None, "the snapshot of a page was not read"
            form.seen = seen

    # saving

    def _go_on(self, form: Form, part: slice, then: str) -> None:
        """Store a form as a draft, as browsers do, or send it: once, again when it has an answer or
        while it has none, or while or after a colleague saves the same record.
        """
        before, data, post = self._stored(form), form.data, form.user.browser.post
        forms, theirs = [form], None
        if then.startswith("colleague"):
            colleague = self.users[self.users.index(form.user) ^ 1]
            theirs = self._type(colleague, form.sample, form.number, part)
            forms += [theirs] if theirs else []
        if then == "store":
            form.kept = post("/unfinished/keep/", data).status_code == 200
            self.check(form.kept, "kept: a draft was not stored")
        elif then == "same form":
            self._meanwhile(form, lambda: self._second_submit(form))
        elif theirs and then == "colleague meanwhile":
            self._meanwhile(form, lambda: self._send(theirs))
        elif then:
            told = [self._send(each) for each in reversed(forms)][-1]
            if then == "twice" and form not in self.forms:
                calls = len(self.home.writes())
                again = verdict(form.user.browser.follow(post(form.url, data)))
                self.check(len(self.home.writes()) == calls, "once: sent again")
                self.check(told != SAVED or again in {SAVED, GONE}, f"once: {told}, then {again}")
        self._judge_updates(forms, before)

    def _second_submit(self, form: Form) -> None:
        pages = form.user.browser.follow(form.user.browser.post(form.url, form.data))
        self.check(STILL in text_of(pages[-1]), "honest: told before the outcome is known")

    def _meanwhile(self, form: Form, act: Callable[[], Any]) -> None:
        """Send a form, and act once between its look at the record and its call."""
        acts = [act]

        def interrupted(write: Any) -> Any:
            def later(*args: Any) -> Any:
                if acts:
                    acts.pop()()
                return write(*args)

            return later

        with internals.replaced(internals.GATEWAY_WRITE, interrupted):
            self._send(form)

    def _send(self, form: Form, *, lost: bool = False) -> str:
        """What the person is told, which must be true. `lost`: nobody got the first answer."""
        before = len(self._calls(form))
        answer = form.user.browser.post(form.url, form.data)
        made = self._calls(form)
        ledger = [entry for entry in self.home.ledger() if entry["pair"] == form.user.pair]
        pages = form.user.browser.follow(answer)
        told = verdict(pages)
        told = SAVED if told == GONE or NO_NUMBER in text_of(answer) else told
        self._count(form, made[before:])
        answered = judge.unheard if lost else judge.wire_of
        said = answered(made[-1]) if made else ""
        is_struck = bool(made) and judge.is_read_struck(ledger, made[-1])
        if said == "success" and is_struck and made[-1]["operation"] == "create":
            said = "claimed"  # it counts as saved only once it is read
        form.kept = True
        is_lie = said in {"refusal", "any"} and made[-1]["effect"]
        form.most += is_lie or NO_NUMBER in text_of(answer)
        self.figures[f"told {told}"] += 1
        self.report(judge.untrue(told, said, made))
        if told == SAVED and made and not is_struck:
            self._check_shown(form, made[-1], pages[-1])
        if answer.status_code in browser.REDIRECTS or form_of(answer) is None:
            self.forms.remove(form)
            return told
        form.calm &= not any(entry["fault"] for entry in ledger)
        missing = [words for words in form.words if words not in text_of(answer)]
        self.check(not missing, f"kept: {missing} did not come back")
        self._show(form, form_of(answer) or {})
        return told

    def _calls(self, form: Form) -> list[dict[str, Any]]:
        """The writes of a form's person in this step."""
        return [entry for entry in self.home.writes() if entry["pair"] == form.user.pair]

    def _count(self, form: Form, made: list[dict[str, Any]]) -> None:
        token = str(form.data.get("token"))
        self.calls[token] += len(made)
        self.check(self.calls[token] <= 1, "once: too many calls for one form")

    def _check_shown(self, form: Form, call: dict[str, Any], page: httpx.Response) -> None:
        """A record that is not as it was saved is reported on the page after saving."""
        record = self.home.shown(call["resource"], call["record"] or 0)
        is_record = re.fullmatch(rf"{form.sample.url}\d+/", page.url.path)
        if record and is_record and page.status_code == 200 and DIFFERS not in text_of(page):
            texts = {name: text for name, text in form.typed.items() if text in form.words}
            kept = {name: str(record.get(name, text)) for name, text in texts.items()}
            self.check(kept == texts, f"told: {kept} is shown as {texts}")

    @rule(which=WHICH, point=POINT, kind=STRIKE)
    def die(self, which: int, point: int, kind: str) -> None:
        """The process dies while it saves a form; an hour later its person presses again."""
        for form in self._open(which):
            self._strike(form.user, kind)
            with deaths.dying(point, after=internals.STORE_DRAFT):
                form.user.browser.post(form.url, form.data)
            made = self._calls(form)
            noted = Write.objects.filter(token=str(form.data.get("token")), sent_at__isnull=False)
            self.check(len(made) <= noted.count(), "once: sent before it was noted")
            self._count(form, made)
            deaths.let_an_hour_pass()
            self._send(form, lost=bool(made))

    # the judge

    def _stored(self, form: Form) -> dict[tuple[str, int], dict[str, Any]]:
        name = form.sample.resource.name
        return {(name, form.number): self.home.stored(name, form.number)} if form.number else {}

    def _judge_updates(self, forms: list[Form], records: dict[Any, dict[str, Any]]) -> None:
        """Each update in its order, against the record as it was and what its person knew."""
        of_pair = {form.user.pair: form for form in forms}
        faults = any(entry["fault"] for entry in self.home.ledger())
        for entry in self.home.ledger(operation="update", effect=True):
            form, now = of_pair[entry["pair"]], records[entry["resource"], entry["record"]]
            extra = entry["body"].keys() - form.typed.keys() - form.sample.always
            if form.calm and not form.sample.whole:
                self.check(not extra, f"untouched: sent {sorted(extra)}")
            for name in form.sample.changed(form.mark).keys() & entry["body"].keys():
                old, new = (str(each.get(name) or "") for each in (now, entry["body"]))
                # Some services take a field and never show it, so nobody can know its value.
                is_shown = self.home.shown(entry["resource"], entry["record"]).get(name) is not None
                if old != new and is_shown and form.calm and not faults:
                    self.check(name in form.typed, f"untouched: {name} was changed")
                    known = str(form.seen.get(name) or "")
                    self.check(old == known, f"overwritten: {old!r}, and knew {known!r}")
            now |= entry["body"]

    # what is not finished

    @rule(who=WHO, which=WHICH, does=st.sampled_from(["take up", "discard"]))
    def finish(self, who: int, which: int, does: str) -> None:
        user = self.users[who]
        drafts = links(user.browser.get("/unfinished/"), r"/.*\?draft=\d+")
        if not drafts:
            return
        url = drafts[which % len(drafts)]
        page = user.browser.get(url)
        form, data = self._known_in(user, page, url.partition("?")[0]), form_of(page)
        if form is None or data is None:
            return
        self.forms = [each for each in self.forms if each is not form]
        if does == "take up":
            form.url, form.calm = url, False
            self._show(form, data)
            self.forms.append(form)
        else:
            user.browser.post(f"/unfinished/{url.rpartition('=')[2]}/discard/", {})
            form.dropped = True

    def _known_in(self, user: User, page: httpx.Response, path: str = "") -> Form | None:
        """The newest form (of the page at `path`) all words of which are on a page."""
        text, own = text_of(page), (f for f in reversed(self.all.values()) if f.user is user)
        fits = (f for f in own if path in ("", f.url.partition("?")[0]))
        return next((f for f in fits if all(words in text for words in f.words)), None)

    @rule(who=WHO, which=WHICH, again=st.booleans())
    def resolve(self, who: int, which: int, again: bool) -> None:
        user = self.users[who]
        unsure = links(user.browser.get("/unsure/"), r"/unsure/\d+/")
        if not unsure:
            return
        url = unsure[which % len(unsure)]
        end_looks()
        page = user.browser.get(url)
        form = self._known_in(user, page)
        _, *found = page.text.split('name="record_id" value="')
        if page.status_code in browser.REDIRECTS or form is None:
            user.browser.follow(page)
            return
        mine = next((each for each in found if form.mark in each.partition("</form>")[0]), "")
        form.most += not mine  # what has not arrived yet may be saved once more
        if mine:
            user.browser.post(f"{url}found/", {"record_id": mine.partition('"')[0]})
        elif again:
            data = {"token": browser.token_of(page)}
            for _ in range(2):
                user.browser.follow(user.browser.post(f"{url}again/", data))
            made, bodies = self.home.writes(), [entry["body"] for entry in self.book]
            self.check(len(made) <= 1, "once: two presses, two calls")
            is_same = all(entry["body"] in bodies for entry in made)
            self.check(is_same, "untouched: sent again with another body")
        else:
            user.browser.follow(user.browser.post(f"{url}leave/", {}))

    # deletions

    @rule(who=WHO, name=SAMPLE, which=WHICH)
    def delete(self, who: int, name: str, which: int) -> None:
        """Ask for a deletion, which waits for its countdown."""
        user, number = self.users[who], self._some(self.users[who], name, which)
        url = f"{SAMPLES[name].url}{number}/"
        data = {"snapshot": browser.token_of(user.browser.get(url), "snapshot")}
        user.browser.post(f"{url}delete/", data)
        due = deletions.of_person(user.account).filter(state=Write.State.WAITING)
        for pk in due.values_list("pk", flat=True):
            self.deletions.setdefault(pk, user)

    @rule(which=WHICH)
    def undo(self, which: int) -> None:
        if self.deletions:
            pk = [*self.deletions][which % len(self.deletions)]
            self.deletions.pop(pk).browser.post(f"/unfinished/deletions/{pk}/keep/", {})
            self.check(Write.objects.filter(pk=pk, state="waiting").count() == 0, "once: still due")

    @rule(who=WHO, kind=STRIKE, point=st.just(0) | POINT)
    def work(self, who: int, kind: str, point: int) -> None:
        """The worker sends what is due, or dies at a point; its persons are told what came of it,
        at the latest an hour later.
        """
        self._strike(self.users[who], kind)
        with deaths.dying(point) as death:
            run_worker(after=COUNTDOWN)
        if death.came:
            deaths.let_an_hour_pass()
            age_deletions(timedelta(seconds=deaths.HOUR))
            run_worker()
        made = self.home.ledger(operation="delete")
        for pk, user in self.deletions.items():
            write = Write.objects.get(pk=pk)
            of = (write.resource, write.record_id, user.pair)
            calls = [e for e in made if (e["resource"], e["record"], e["pair"]) == of]
            page = text_of(user.browser.get(f"/unfinished/deletions/{pk}/outcome/"))
            told = [NOT_SAVED, *(outcome for words, outcome in TOLD.items() if words in page)][-1]
            self.check(len(calls) <= 1, f"once: {len(calls)} calls for one deletion")
            self.check(not calls or write.sent_at, "once: sent before it was noted")
            if told == GONE and not self.home.stored(write.resource, write.record_id):
                continue  # somebody else has deleted it
            answered = judge.unheard if death.came else judge.wire_of
            said = answered(calls[-1]) if calls else ""
            self.report(judge.untrue(told, said, calls))
        self.check(len(made) <= len(self.deletions), "once: more calls than were due")
        self.deletions = {}


def _reachable(user: User) -> Iterator[str]:
    """Every write and form that the lists of what is not finished lead to."""
    for url in links(user.browser.get("/unsure/"), r"/unsure/\d+/"):
        yield text_of(user.browser.get(url))
    for url in links(user.browser.get("/unfinished/"), r"/.*\?draft=\d+"):
        yield text_of(user.browser.get(url))
