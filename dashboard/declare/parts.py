"""The parts of a resource's declaration: details, columns, bulk actions and sections."""

from dataclasses import KW_ONLY, dataclass

from dashboard.accounts.permissions import DELETE_RECORDS
from dashboard.context import RequestContext
from dashboard.display import cells
from dashboard.display.cells import Cell
from dashboard.display.values import DisplayValue
from dashboard.gateway import Endpoint, Record
from dashboard.gateway.fields import Operation

BULK_PERMISSION = DELETE_RECORDS  # held by Managers and Administrators


@dataclass(frozen=True)
class Detail:
    """One field as a record's page shows it.

    name: the wire name. label, cell, points_to (the endpoint whose records the field holds ids
    of) follow from the form field where they are not given.
    """

    name: str
    _: KW_ONLY
    label: str = ""
    cell: Cell | None = None
    points_to: Endpoint | None = None

    def value(self, record: Record, ctx: RequestContext) -> DisplayValue:
        """The field of this record as it is displayed."""
        return (self.cell or cells.plain(self.name))(record, ctx)


@dataclass(frozen=True)
class Column(Detail):
    """One field as a column of the list. The first column links to the record.

    from_record: only the record itself has the field, not the list. It is read record by record,
    after the list is shown.
    """

    _: KW_ONLY
    sortable: bool = True
    numeric: bool = False
    from_record: bool = False


@dataclass(frozen=True, kw_only=True)
class BulkAction:
    """What can be done with many records of a list in one job.

    name: the value that its button sends. key: its letter. kind: of the job. verb: begins the title
    of the job, before the number of records. needs: the operation that the service must offer.
    writes: the resource that it writes, "" for the one that the records are of. explained: what it
    does, on the page before it begins. deletes: whether it deletes records. permission: who may
    choose it, and carry it out in every turn.
    """

    name: str
    label: str
    key: str
    kind: str
    verb: str
    needs: Operation | None = None
    writes: str = ""
    explained: str = ""
    deletes: bool = False
    permission: str = BULK_PERMISSION


@dataclass(frozen=True)
class Section:
    """A titled group of fields on a record's page."""

    title: str
    details: tuple[Detail, ...]


def details(*parts: str | Detail) -> tuple[Detail, ...]:
    """Details of fields, of which a plain name stands for one that differs in nothing."""
    return tuple(Detail(part) if isinstance(part, str) else part for part in parts)


def columns(*parts: str | Column) -> tuple[Column, ...]:
    """Columns, likewise."""
    return tuple(Column(part) if isinstance(part, str) else part for part in parts)
