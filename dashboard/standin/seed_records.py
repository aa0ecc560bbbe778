"""Makes believable records, one at a time, from a seeded dice."""

import random
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import Any, TypeVar

from . import money, names
from .reference_data import reference_data, stages
from .rules import LEAD_STATUSES
from .store import Record

T = TypeVar("T")
YEAR = 365
PEOPLE = [(given, family) for given, family, share in names.PEOPLE for _ in range(share)]


class World:
    """One workspace while it is filled: its dice, its calendar, its reference data, its ids."""

    def __init__(self, workspace: str, seed: int, today: date) -> None:
        self.workspace = workspace
        self.dice = random.Random(f"{seed} {workspace}")  # noqa: S311 (repeatable, not secret)
        self.chance = self.dice.random
        self.reference = reference_data(workspace)
        self.ids: dict[str, range] = {}
        # Day 0 is a year ago, day 365 today, and there are some months to come.
        start = today - timedelta(days=YEAR)
        self.days = [(start + timedelta(days=n)).isoformat() for n in range(2 * YEAR)]

    def pick(self, choices: Sequence[T]) -> T:
        """One of them, all alike likely."""
        return choices[int(self.chance() * len(choices))]

    def id_of(self, kind: str) -> int:
        """The id of something in the reference data."""
        number: int = self.pick(self.reference[kind])["id"]
        return number

    def business(self) -> int:
        """The id of a business; every third contact is one."""
        contacts = self.ids["contacts"]
        return contacts[int(self.chance() * len(contacts) / 3) * 3]

    def tags(self) -> list[int]:
        """No tag for most, one or two for some."""
        if self.chance() < 0.7:
            return []
        return sorted({self.id_of("tags"), self.id_of("tags")})

    def moment(self, day: int) -> str:
        """Some time in the working hours of a day, on the quarter hour."""
        quarter = int(self.chance() * 40)
        return f"{self.days[day]}T{8 + quarter // 4:02d}:{quarter % 4 * 15:02d}:00"


def day_of(index: int, count: int) -> int:
    """Records come evenly over the year, in the order of their ids, up to yesterday."""
    return index * YEAR // count


def person(world: World, index: int) -> str:
    """A name; every sixth of the first ones is an awkward value."""
    place, rest = divmod(index, 6)
    if rest == 4 and place < len(names.AWKWARD):
        return names.AWKWARD[place]
    given, family = world.pick(PEOPLE)
    return f"{world.pick(given)} {world.pick(family)}"


def company(world: World) -> str:
    """A firm's name."""
    words = (names.COMPANY_FIRST, names.COMPANY_SECOND, names.COMPANY_LAST)
    return " ".join([world.pick(choices) for choices in words])


def email(world: World, name: str, index: int) -> str | None:
    """An address made of the name where it is plain letters; some have none."""
    if world.chance() < 0.12:
        return None
    word = name.split(" ")[0].lower()
    local = word if word.isascii() and word.isalpha() and len(word) < 30 else "contact"
    return f"{local}.{index}@example.{world.pick(('com', 'org', 'net'))}"


def contact(world: World, index: int, count: int) -> Record:
    """Every third is a business; a third of the people belong to one."""
    chance = world.chance
    is_business = index % 3 == 0
    name = company(world) if is_business else person(world, index)
    record: Record = {
        "cstname": name,
        "cstemail": email(world, name, index),
        "cstmobile": f"0{int(chance() * 1e9):09d}" if chance() < 0.8 else None,
        "contact_type": 2 if is_business else 1,
        "cstcreated_on": world.moment(day_of(index, count)) + "Z",
        "cstmobile_country_id": world.id_of("countries"),
        "cstaddress": f"{world.pick(names.STREETS)}, {world.pick(names.CITIES)}",
        "ct_taxnumber": f"00{int(chance() * 1e8):08d}" if is_business else None,
        "cstnotes": world.pick(names.NOTES) if chance() < 0.2 else None,
        "cstemailnotify": True,
        "cstsmsnotify": chance() < 0.7,
        "cst_whatsapp_notify": chance() < 0.5,
        "tag_ids": world.tags(),
        "custom_fields": _custom(world),
    }
    if not is_business and chance() < 0.33:
        record["contact_parent"] = world.ids["contacts"][index - index % 3]
    return record


def _custom(world: World) -> dict[str, Any]:
    if world.chance() < 0.6:
        return {}
    number = int(world.chance() * 10000)
    return {
        "Preferred language": world.pick(names.LANGUAGES),
        "Account no.": f"{number:06d}",
        "Größe": world.pick(("S", "M", "L")),
    }


def lead(world: World, index: int, count: int) -> Record:
    """Older leads have moved on, recent ones are new."""
    chance = world.chance
    name = person(world, index + 3)
    user = world.pick(world.reference["users"])
    fresh = index > count * 0.8
    return {
        "cstname": name,
        "cstemail": email(world, name, index),
        "lead_status": "New" if fresh else world.pick(LEAD_STATUSES),
        "lead_source": world.pick(names.SOURCES),
        "lead_company_name": company(world) if chance() < 0.6 else "",
        "owner": user["name"],
        "cstcreated_on": world.moment(day_of(index, count)) + "Z",
        "cstmobile": f"0{int(chance() * 1e9):09d}" if chance() < 0.7 else None,
        "cstmobile_country_id": world.id_of("countries"),
        "cstnotes": world.pick(names.NOTES) if chance() < 0.2 else None,
        "lead_industry": world.pick(names.INDUSTRIES),
        "lead_assignedto": user["id"],
        "lead_assignmentgroup": world.id_of("groups"),
        "brand_id": world.id_of("brands"),
        "tag_ids": world.tags(),
        "custom_fields": _custom(world),
    }


def deal(world: World, index: int, count: int) -> Record:
    """Spread over pipelines and their stages; old ones stand in the last stages."""
    chance = world.chance
    pipeline = world.id_of("pipelines")
    allowed = stages(world.workspace, pipeline)
    reached = min(len(allowed) - 1, int((1 - index / count) * len(allowed) + chance() * 2))
    user = world.pick(world.reference["users"])
    day = day_of(index, count)
    return {
        "deal_name": f"{world.pick(names.DEALS)} #{index + 1}",
        "deal_amount": round(chance() ** 3 * 80000 + 250, 2),
        "deal_source": world.pick(names.SOURCES),
        "deal_expected_close_date": world.days[day + 20 + int(chance() * 80)],
        "pipeline_id": pipeline,
        "cstid": world.business(),
        "owner": user["name"],
        "deal_current_stage": allowed[reached],
        "deal_amount_currency": world.reference["currencies"][0]["id"],
        "deal_owner_id": user["id"],
        "deal_description": world.pick(names.NOTES) if chance() < 0.4 else None,
        "deal_assignedto": world.id_of("users"),
        "tag_ids": world.tags(),
    }


def task(world: World, index: int, count: int) -> Record:
    """What lies behind is mostly done; a tenth lies ahead."""
    chance = world.chance
    day = min(day_of(index, count) + 30, YEAR + 40)
    ahead = day >= YEAR
    start = world.moment(day)
    record: Record = {
        "title": f"{world.pick(names.TASKS)}" if index % 50 != 3 else "T" * 150,
        "activity_type": "Task",
        "status": world.pick((0, 0, 1)) if ahead else world.pick((2, 2, 2, 2, 2, 0, 3, 4)),
        "priority": world.pick((0, 1, 2, 2, 2, 3, 4)),
        "start_datetime": start,
        "end_datetime": f"{start[:11]}19:00:00" if chance() < 0.6 else None,
        "cstid": world.pick(world.ids["contacts"]),
        "description": world.pick(names.NOTES) if chance() < 0.3 else None,
        "assigned_user_id": world.id_of("users"),
        "tags": world.tags(),
    }
    if world.ids["deals"] and chance() < 0.4:
        record["deal_id"] = world.pick(world.ids["deals"])
        record["cstid"] = record["cstid"] if chance() < 0.5 else None
    return record


def lines(world: World) -> list[Record]:
    """One to five lines; now and then a header, a discount, an odd quantity."""
    made = [_line(world) for _ in range(1 + int(world.chance() ** 2 * 5))]
    if world.chance() < 0.1:
        header = {"item_id": made[0]["item_id"], "item_name": "Phase 1", "quantity": 0, "price": 0}
        made.insert(0, {**header, "type": "header"})
    return made


def _line(world: World) -> Record:
    item = world.pick(world.reference["items"])
    tax = world.pick(world.reference["taxes"])
    line: Record = {
        "item_id": item["id"],
        "item_name": item["name"],
        "quantity": world.pick((1, 1, 1, 2, 3, 5, 10, 0.5, 12)),
        "price": item["price"],
        "type": "item",
        "tax_id": str(tax["id"]),
        "tax_rate": tax["rate"],
    }
    if world.chance() < 0.15:
        line.update(discount=10, discount_type=2)
    return line


def _document(world: World, index: int, count: int) -> Record:
    chance = world.chance
    record: Record = {
        "customer_id": world.pick(world.ids["contacts"]),
        "transaction_date": world.days[day_of(index, count)],
        "template_id": world.id_of("templates"),
        "items": lines(world),
        "reference": f"PO-{int(chance() * 1e5):05d}" if chance() < 0.5 else None,
        "notes": world.pick(names.NOTES) if chance() < 0.2 else None,
        "terms_conditions": "Payable within 30 days." if chance() < 0.8 else None,
        "org_currency_id": world.reference["currencies"][0]["id"],
        "conversion_rate": 1,
        "tag_ids": world.tags(),
    }
    if world.ids["deals"] and chance() < 0.3:
        record["deal_id"] = world.pick(world.ids["deals"])
    if chance() < 0.1:
        record.update(overall_discount=5, overall_discount_type=2)
    record.update(money.totals(record))
    return record


def estimate(world: World, index: int, count: int) -> Record:
    """Older ones are invoiced or cancelled, recent ones open."""
    record = _document(world, index, count)
    day = day_of(index, count)
    record["expiry_date"] = world.days[day + 30]
    record["est_status"] = 0 if day > YEAR - 40 else world.pick((1, 1, 1, 0, 2))
    return record


def invoice(world: World, index: int, count: int) -> Record:
    """Older ones are paid, but for a few that are late or cancelled."""
    record = _document(world, index, count)
    day = day_of(index, count)
    record["due_date"] = world.days[day + world.pick((14, 30, 30, 30, 60))]
    record["billing_address"] = f"{world.pick(names.STREETS)}, {world.pick(names.CITIES)}"
    record["assigned_to"] = world.id_of("users")
    luck = world.chance()
    paid_share = 1.0 if luck < (0.9 if day < YEAR - 45 else 0.2) else 0.0
    if 0.9 <= luck < 0.94:
        paid_share = 0.5
    cancelled = luck > 0.97
    record["inv_status"] = 2 if cancelled else int(paid_share == 1.0)
    record["payments"] = [] if cancelled else _payments(world, record["total"], paid_share, day)
    paid = sum(money.exact(payment["amount"]) for payment in record["payments"])
    record["amount_due"] = 0.0 if cancelled else float(money.exact(record["total"]) - paid)
    return record


def _payments(world: World, total: float, share: float, day: int) -> list[Record]:
    """One payment, or none where nothing was paid."""
    if not share or not total:
        return []
    amount = float(money.cents(money.exact(total) * money.exact(share)))
    paid_on = world.days[min(day + 5 + int(world.chance() * 25), YEAR)]
    method = world.pick(names.PAYMENT_METHODS)
    number = int(world.chance() * 1e6)
    return [{"payment_id": number, "amount": amount, "payment_date": paid_on, "method": method}]


MAKERS: dict[str, Callable[[World, int, int], Record]] = {
    "contacts": contact,
    "leads": lead,
    "deals": deal,
    "tasks": task,
    "estimates": estimate,
    "invoices": invoice,
}
