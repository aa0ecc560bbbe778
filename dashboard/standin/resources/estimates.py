"""Estimates: documents that offer a price."""

from ..schema import Field, Record, Seed
from ..seed_workspace import YEAR, SeedWorkspace, created_day
from .documents import complete, document
from .documents import sample as sample_document


def sample(workspace: SeedWorkspace, index: int, count: int) -> Record:
    """Most old estimates are invoiced, some cancelled; those of the last 40 days are open."""
    record = sample_document(workspace, index, count)
    day = created_day(index, count)
    record["expiry_date"] = workspace.days[day + 30]
    record["est_status"] = 0 if day > YEAR - 40 else workspace.pick((1, 1, 1, 0, 2))
    return record


ESTIMATES = document(
    "estimates",
    "est",
    fields=(Field("expiry_date", "date", "list create"),),
    first_id=4001,
    complete=complete,
    seed=Seed(sample, demo=190, small=30, share=12),
)
