"""Invoices: documents that ask for payment."""

from datetime import datetime

from ..money import exact, rounded
from ..schema import Field, Record, Seed
from ..seed_workspace import YEAR, SeedWorkspace, created_day
from .documents import complete as complete_document
from .documents import document
from .documents import sample as sample_document

OLDEST_OVERDUE = 60  # days, of a plausible firm
PAYMENT_METHODS = ("Bank transfer", "Card", "Cash", "Cheque")


def complete(workspace: str, record: Record, now: datetime) -> None:
    """Set the totals, and what remains due after the payments."""
    complete_document(workspace, record, now)
    payments = record.setdefault("payments", [])
    paid = sum((exact(payment["amount"]) for payment in payments), exact(0))
    record["amount_due"] = float(exact(record["total"]) - paid)


def sample(workspace: SeedWorkspace, index: int, count: int) -> Record:
    """Most old invoices are paid; a few are late, half paid or cancelled."""
    record = sample_document(workspace, index, count)
    day = created_day(index, count)
    due = day + workspace.pick((14, 30, 30, 30, 60))
    record["due_date"] = workspace.days[due]
    record["billing_address"] = workspace.address()
    record["assigned_to"] = workspace.reference_id("users")
    chance = workspace.random()
    share = 1.0 if chance < (0.9 if day < YEAR - 45 else 0.2) else 0.0
    if 0.9 <= chance < 0.94:
        share = 0.5
    if workspace.words.plausible and due < YEAR - OLDEST_OVERDUE:
        share = 1.0
    cancelled = chance > 0.97
    record["inv_status"] = 2 if cancelled else int(share == 1.0)
    record["payments"] = [] if cancelled else _payments(workspace, record["total"], share, day)
    paid = sum(exact(payment["amount"]) for payment in record["payments"])
    record["amount_due"] = 0.0 if cancelled else float(exact(record["total"]) - paid)
    return record


def _payments(workspace: SeedWorkspace, total: float, share: float, day: int) -> list[Record]:
    """One payment of `share` of the total, or none if that is nothing."""
    if not share or not total:
        return []
    amount = float(rounded(exact(total) * exact(share)))
    paid_on = workspace.days[min(day + 5 + int(workspace.random() * 25), YEAR)]
    method = workspace.pick(PAYMENT_METHODS)
    number = int(workspace.random() * 1e6)
    return [{"payment_id": number, "amount": amount, "payment_date": paid_on, "method": method}]


INVOICES = document(
    "invoices",
    "inv",
    fields=(
        Field("amount_due", "number", "list"),
        Field("due_date", "date", "list create"),
        Field("billing_address", "string", "create"),
        Field("shipping_address", "string", "create"),
        Field("assigned_to", "integer", "create", refers="users"),
        Field("payments", "payments"),
    ),
    first_id=7001,
    complete=complete,
    seed=Seed(sample, demo=330, small=40, share=18),
)
