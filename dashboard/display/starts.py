"""Forms that begin from a record: their addresses."""

from dataclasses import KW_ONLY, dataclass

from dashboard.gateway import Record
from dashboard.markup import address


@dataclass(frozen=True)
class Start:
    """A form of another resource that begins from a record.

    label, key: of its button. target, param: the resource, and the parameter of its form that takes
    the id in `field`, by default the record's own. main: what is mostly done with the record.
    rare: listed among the other actions. each: can be made for each of many records at once.
    """

    label: str
    key: str
    target: str
    param: str
    _: KW_ONLY
    field: str = ""
    main: bool = False
    rare: bool = False
    each: bool = False

    def url(self, record: Record) -> str:
        """The address of the form; "" where the record does not hold the id."""
        value = record.get(self.field) if self.field else record.id
        if not isinstance(value, int):
            return ""
        return address(self.target, page="create", query={self.param: str(value)})
