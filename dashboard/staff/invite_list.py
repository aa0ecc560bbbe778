"""Invites many people by a list of names, addresses and roles: reads it, says what it would do, and
does it. The page *Invite several* and `manage.py invite` read it alike.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.utils import parseaddr

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.http import HttpRequest

from dashboard.accounts.invitations import invite
from dashboard.accounts.models import User
from dashboard.accounts.roles import ROLES
from dashboard.accounts.usernames import free_username
from dashboard.catalogue.planned_table import WRONG, Plan, PlannedLine
from dashboard.staff import notices, people
from dashboard.staff.forms import StaffForm
from dashboard.tables import headings
from dashboard.tables.cells import Row
from dashboard.tables.errors import UnreadableTable
from dashboard.tables.separated import read_separated

INVITE, THERE = "invite", "there"
MOST = 200  # lines
FIRST, LAST, EMAIL, USERNAME, ROLE = "first_name", "last_name", "email", "username", "role"
NAME = "name"  # both in one cell
OWN_HEADINGS = {
    "firstname": FIRST,
    "givenname": FIRST,
    "lastname": LAST,
    "surname": LAST,
    "familyname": LAST,
    "username": USERNAME,
    "role": ROLE,
}
OF_PEOPLE = {"cstname": NAME, "cstemail": EMAIL}  # the words that imports know
NO_ROLE = "There is no role “{}”: write {}."
ROLE_WORDS = f"{', '.join(list(ROLES)[:-1])} or {list(ROLES)[-1]}"
Values = dict[str, str]


@dataclass(frozen=True)
class Planned(PlannedLine):
    """A person of the list. `person`: the account that has the address already, where the reader
    may see it.
    """

    person: User | None = None

    @property
    def name(self) -> str:
        """The person's name as typed, "" without one."""
        return f"{self.values.get(FIRST, '')} {self.values.get(LAST, '')}".strip()


InvitePlan = Plan[Planned]


def plan_of(
    text: str, *, acting: User | None, visible: QuerySet[User], default_role: str = ""
) -> InvitePlan:
    """What inviting the people of this list would do.

    acting: who invites, None for the operator. visible: the accounts that they may see.
    default_role: of lines without one. Raises UnreadableTable.
    """
    rows, _ = read_separated(text)
    if not rows:
        raise UnreadableTable("There is no line in this list.")
    if len(rows) > MOST + 1:
        raise UnreadableTable(f"There are more than {MOST} lines: divide the list.")
    columns, ignored = _columns(rows[0])
    reader = _Reader(acting, visible, default_role)
    body = rows[1:] if columns else rows
    planned = tuple(reader.read(row, _named(row, columns)) for row in body)
    return Plan(planned, ignored)


class Changed(Exception):  # noqa: N818
    """Somebody has taken an address or a username of the list since the plan was made."""


def carry_out(request: HttpRequest, plan: InvitePlan, *, acting: User | None) -> None:
    """Make the accounts of the plan, and let the worker mail each a link. Raises Changed, and
    makes none, if one cannot be made any more.
    """
    try:
        with transaction.atomic():
            for row in plan.of(INVITE):
                _make(request, StaffForm(row.values, acting=acting))
    except IntegrityError:
        raise Changed from None


def _make(request: HttpRequest, form: StaffForm) -> None:
    if not form.is_valid():
        raise Changed
    person, changes = form.save(), notices.changes_of(form)
    notices.note(request, changes, person, "create")
    notices.tell(request, person, changes, besides=person.email)
    send_link(request, person)


def send_link(request: HttpRequest, person: User) -> str:
    """Mail a person a link for their sign-in, note it and tell it; returns what kind of link."""
    link = invite(request, person)
    change = {link: ("", person.email)}
    notices.note(request, change, person)
    notices.tell(request, person, change, besides=person.email)
    return link


class _Reader:
    """Reads the lines with the form that invites one person."""

    def __init__(self, acting: User | None, visible: QuerySet[User], default_role: str) -> None:
        self.acting, self.visible, self.default_role = acting, visible, default_role
        self.lines: dict[str, int] = {}  # by address
        self.usernames: set[str] = set()

    def read(self, row: Row, values: Values) -> Planned:
        """What the line would do."""
        wrong = values.pop("", "")
        values[EMAIL] = address = values.get(EMAIL, "").lower()
        values[ROLE] = values.get(ROLE) or self.default_role
        if address and address in self.lines:
            wrong = wrong or f"Line {self.lines[address]} has the same address."
        elif person := self.visible.filter(email=address).exclude(email="").first():
            self.lines[address] = row.number
            return Planned(row.number, THERE, values, person=person)
        errors = [wrong] if wrong else self._refusals(values)
        if errors:
            return Planned(row.number, WRONG, values, tuple(errors))
        self.lines[address] = row.number
        self.usernames.add(values[USERNAME].lower())
        return Planned(row.number, INVITE, values)

    def _refusals(self, values: Values) -> list[str]:
        """What the form says of the line; completes its username and the spelling of its role."""
        values[USERNAME] = values.get(USERNAME) or free_username(values[EMAIL], self.usernames)
        roles = {role.lower(): role for role in ROLES}
        role = values[ROLE]
        values[ROLE] = roles.get(role.lower(), role)
        if role and values[ROLE] not in ROLES:
            return [NO_ROLE.format(role, ROLE_WORDS)]
        if values[USERNAME].lower() in self.usernames:
            return ["A line above has the same username."]
        form = StaffForm(values, acting=self.acting)
        return list(
            dict.fromkeys(str(words) for errors in form.errors.values() for words in errors)
        )


def state_in_words(person: User) -> str:
    """What a list says of somebody who is there already."""
    words = {"Active": "has an account", "Invited": "is invited"}
    return words.get(people.state_of(person)[0], "is deactivated")


def _columns(first: Row) -> tuple[list[str], tuple[str, ...]]:
    """What each column is, "" for those that are not read, and the headings of these; ([], ()) if
    the first line is no line of headings.
    """
    known = {word: OF_PEOPLE.get(name, "") for word, name in _words_of_people().items()}
    words = [str(cell).strip() for cell in first.cells]
    columns = [
        OWN_HEADINGS.get(plain) or known.get(plain, "") for plain in map(headings.plain, words)
    ]
    if EMAIL not in columns:
        return [], ()
    ignored = (word for word, column in zip(words, columns, strict=True) if word and not column)
    return columns, tuple(ignored)


def _words_of_people() -> Mapping[str, str]:
    return headings.names_by_word("people")


def _named(row: Row, columns: Sequence[str]) -> Values:
    """The cells by the field that they go to; "" is what is wrong with them as a whole."""
    cells = [" ".join(str(cell).split()) for cell in row.cells]
    values = _by_headings(cells, columns) if columns else _by_place(cells)
    name, values[EMAIL] = _address_of(values.get(EMAIL, ""))
    whole = values.pop(NAME, "") or ("" if FIRST in values or LAST in values else name)
    if whole:
        first, _, last = whole.rpartition(" ") if " " in whole else (whole, "", "")
        values[FIRST], values[LAST] = first, last
    return values


def _by_headings(cells: Sequence[str], columns: Sequence[str]) -> Values:
    values: Values = {}
    for cell, column in zip(cells, columns, strict=False):
        if column and cell:
            values[column] = f"{values[column]} {cell}" if column in values else cell
    if any(cells[len(columns) :]):
        values[""] = "There is more in this line than the headings name."
    return values


def _by_place(cells: Sequence[str]) -> Values:
    """A line without headings: the name, the address, the role."""
    place = next((index for index, cell in enumerate(cells) if "@" in cell), None)
    if place is None:
        return {NAME: " ".join(cells).strip(), "": "There is no email address in this line."}
    values = {NAME: " ".join(cells[:place]).strip(), EMAIL: cells[place]}
    after = [cell for cell in cells[place + 1 :] if cell]
    if after:
        values[ROLE] = " ".join(after)
    return values


def _address_of(cell: str) -> tuple[str, str]:
    """("Nina New", "nina@example.test") of “Nina New <nina@example.test>”; ("", cell) of others."""
    return parseaddr(cell) if cell.endswith(">") else ("", cell)
