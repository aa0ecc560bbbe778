"""The customer of a deal, a task or a hit of the search: contact details and balance."""

from collections.abc import Callable, Mapping

from dashboard.documents import receivables
from dashboard.documents.invoices import INVOICES
from dashboard.gateway import CONTACTS, Page, Record
from dashboard.gateway.records import read_id
from dashboard.reader import lookups
from dashboard.records.panels import SIDE, Calls, Figure, Panel
from dashboard.schema import cells, values
from dashboard.schema.values import DisplayValue

PAGE_SIZE = 100


class CustomerPanel(Panel):
    """Contacts: the first one is called, the last one owes. One call for each that was not read in
    the last minute, and one for the invoices.
    """

    builds_partly = True
    phone: DisplayValue | None = None
    email: DisplayValue | None = None
    sums: tuple[Figure, ...] = ()

    @property
    def contacts(self) -> list[int]:
        raise NotImplementedError

    def calls(self) -> Calls:
        gateway, contacts = self.ctx.gateway, self.contacts
        self.known = lookups.cached_records(gateway, CONTACTS, contacts)
        missing = [each for each in contacts if each not in self.known]
        calls = {f"contact_{each}": self.begin_get(CONTACTS, each) for each in missing}
        if INVOICES.name in self.ctx.closed_areas:
            return calls
        theirs = {"cstid": contacts[-1]}
        listed = self.begin_list(INVOICES.endpoint, filters=theirs, page_size=PAGE_SIZE)
        return {**calls, "invoices": listed}

    def build(self, invoices: Page | None = None, **contacts: Record) -> None:
        for each in contacts.values():
            lookups.cache_record(self.ctx.gateway, CONTACTS, each)
        known = {**self.known, **{each.id: each for each in contacts.values()}}
        self.records = [known[each] for each in self.contacts if each in known]
        self.phone = self._first(lambda each: values.phone(each["cstmobile"]))
        self.email = self._first(lambda each: values.email(each["cstemail"]))
        if invoices:
            self.sums = self._sums(invoices)

    def _first(self, value: Callable[[Record], DisplayValue]) -> DisplayValue | None:
        return next((shown for each in self.records if (shown := value(each))), None)

    def _sums(self, invoices: Page) -> tuple[Figure, ...]:
        owed = receivables.of_page(self.ctx, invoices)
        late = values.text(owed.words(owed.overdue))
        overdue = Figure("Overdue", late, is_late=bool(owed.overdue))
        return Figure("Owes", values.text(owed.words(owed.invoices))), overdue


class CustomerOfRecord(CustomerPanel):
    """The contacts in some fields of a record, each under its role. The page names them at once;
    the rest is a late panel, so that no page waits for the customer.
    """

    name, side, is_late = "customer", SIDE, True
    template = "overviews/_customer.html"
    fields: Mapping[str, str] = {}

    @property
    def ids(self) -> dict[str, int]:
        """Return the contacts, by field; the business before the person."""
        record = self.subject.record
        return {field: number for field in self.fields if (number := read_id(record.get(field)))}

    @property
    def is_hidden(self) -> bool:
        return not self.ids

    @property
    def contacts(self) -> list[int]:
        first, *others = self.ids.values()
        return list(dict.fromkeys([*others[-1:], first]))

    def build(self, invoices: Page | None = None, **contacts: Record) -> None:
        super().build(invoices, **contacts)
        self.pointers = [(CONTACTS, each) for each in self.ids.values()]

    @property
    def people(self) -> list[tuple[str, DisplayValue]]:
        return [
            (self.fields[field], cells.titled(CONTACTS, number, self.names))
            for field, number in self.ids.items()
        ]


class CustomerOfDeal(CustomerOfRecord):
    title = "Customer"
    fields: Mapping[str, str] = {"cstid": "Company", "deal_contact_id": "Person"}


class ContactOfTask(CustomerOfRecord):
    title = "Contact"
    fields: Mapping[str, str] = {"cstid": "Name"}
