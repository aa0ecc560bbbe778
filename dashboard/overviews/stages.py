"""The stages of a deal's pipeline, and since when the deal is in its stage."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date
from typing import NamedTuple

from django.utils import timezone

from dashboard.core.service_name import SERVICE_AT_START
from dashboard.core.templates import address
from dashboard.gateway import DEALS, Record, Unavailable
from dashboard.office import reference_lists as catalogue
from dashboard.office.kinds import Kind
from dashboard.people.context import RequestContext
from dashboard.people.permissions import EDIT_RECORDS
from dashboard.schema.values import RowAction
from dashboard.text.dates import days, format_date
from dashboard.text.plain import folded
from dashboard.writes.history_words import details_of
from dashboard.writes.ledger import new_token
from dashboard.writes.models import Write

STAGE = "deal_current_stage"
MAX_HISTORY = 50  # entries of the history of a deal
# Words that name a stage in which a deal is over, in some languages.
WON = "won gewonnen ganado ganada gagné gagnée wygrana vinto"
LOST = "lost verloren perdido perdida perdu perdue przegrana perso"


class StagesIgnored(Unavailable):
    """The service ignored the filter by stage, which its rows do not show."""

    title = f"{SERVICE_AT_START} doesn't filter deals by stage"
    text = "It sends the same deals for every stage."


def check_stages(deals: Sequence[Iterable[Record]]) -> None:
    """Raise StagesIgnored if most of the deals came for several stages; a few may have moved."""
    counts = Counter(each.id for them in deals for each in them)
    if counts and sum(counts.values()) >= 2 * len(counts):
        raise StagesIgnored


class Stage(NamedTuple):
    """A stage that is offered, named or not. `pipeline`: its code, "" if that is not known."""

    code: str
    name: str
    pipeline: str

    @property
    def is_end(self) -> bool:
        return is_end(self.name)


def stages(ctx: RequestContext) -> list[Stage]:
    """Return all known stages, those with a name first."""
    named = catalogue.entries(ctx.workspace, Kind.STAGE)
    waiting = catalogue.unnamed_parents(ctx.workspace, Kind.STAGE)
    by_number = sorted(waiting.items(), key=lambda each: int(each[0]))
    return [
        *(Stage(each.code, each.name, each.parent) for each in named),
        *(Stage(code, catalogue.unnamed(code), pipeline) for code, pipeline in by_number),
    ]


def may_move(ctx: RequestContext) -> bool:
    return ctx.may(EDIT_RECORDS) and ctx.gateway.accepts_field(DEALS, STAGE)


def count_without_stage(whole: int | None, in_stages: Iterable[int | None]) -> int:
    """Return the number of a pipeline's deals in none of some stages; 0 if a total is not known."""
    known = list(in_stages)
    if whole is None or None in known:
        return 0
    return max(0, whole - sum(filter(None, known)))


class Step(NamedTuple):
    """One stage of a pipeline: its name, and the day on which the deal entered it, if known.
    `move`: the action that moves the deal there, if allowed here.
    """

    name: str
    note: str = ""
    is_done: bool = False
    is_now: bool = False
    is_next: bool = False
    move: RowAction | None = None


def is_lost(name: str) -> bool:
    return _has_word(name, LOST)


def is_end(name: str) -> bool:
    return is_lost(name) or _has_word(name, WON)


def _has_word(name: str, words: str) -> bool:
    return not set(words.split()).isdisjoint(folded(name).split())


def stage_progress(ctx: RequestContext, record: Record, own: Iterable[Write]) -> list[Step]:
    """Return the stages of the deal's pipeline in order, without the one for lost deals; [] if the
    workspace's lists lack the deal's stage. own: the history of the deal.
    """
    pipeline, now = str(record["pipeline_id"]), str(record.get(STAGE))
    shown = [
        each
        for each in catalogue.entries(ctx.workspace, Kind.STAGE)
        if each.parent == pipeline and (each.code == now or not is_lost(each.name))
    ]
    codes = [each.code for each in shown]
    if now not in codes:
        return []
    at, today = codes.index(now), timezone.localdate()
    is_over, is_movable = is_lost(shown[at].name), may_move(ctx)
    known = _since(own, codes[0])
    return [
        Step(
            each.name,
            _note(known.get(each.code), today, is_now=number == at) if number <= at else "",
            is_done=number < at and not is_over,
            is_now=number == at,
            is_next=number == at + 1,
            move=_move(record, each.code) if number != at and is_movable else None,
        )
        for number, each in enumerate(shown)
    ]


def _move(record: Record, code: str) -> RowAction:
    back = address(DEALS.name, record.id)
    fields = (("token", new_token()), ("seen", str(record.get(STAGE))), ("to", code))
    return RowAction("Move", "", address(DEALS.name, record.id, "stage"), (*fields, ("back", back)))


def _since(own: Iterable[Write], first: str) -> dict[str, date]:
    """Return the day on which the deal entered each stage, as far as it was moved here. A new deal
    is in the first one.
    """
    known: dict[str, date] = {}
    for entry in list(own)[:MAX_HISTORY]:
        if entry.state == Write.State.SAVED:
            _, stage = details_of(entry)[1].get(STAGE, ("", ""))
            code = stage or (first if entry.operation == "create" else "")
            if code:
                known.setdefault(code, timezone.localdate(entry.at))
    return known


def _note(since: date | None, today: date, *, is_now: bool) -> str:
    if since is None:
        return ""
    words = format_date(since).removesuffix(f" {today.year}")
    return f"since {words}, {days((today - since).days)}" if is_now and since < today else words
