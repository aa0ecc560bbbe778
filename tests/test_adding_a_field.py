"""The new fields of docs/developing.md, added to a copy: a new field touches two files."""

import re
from pathlib import Path

import pytest

from tests.copies import Copy, section

pytestmark = pytest.mark.slow

FORMS = "dashboard/resources/contacts.py"
STANDIN = "dashboard/standin/resources/contacts.py"
NAMES = {
    "text": "nickname",
    "date": "birthday",
    "number": "credit_limit",
    "choice": "rating",
    "reference": "manager_id",
}
NEEDED = (  # what the form fields of the examples use
    "from dashboard.schema.inputs import DayField, NumberField",
    'RATINGS = (("", "Not rated"), (1, "Good"), (2, "Bad"), (3, "Ugly"))',
)
TRIED = '''
"""The pages of the fields that were added."""

import pytest

from dashboard.gateway import CONTACTS
from dashboard.standin.reference_data import reference_data
from tests.helpers import text
from tests.conftest import every_profile
from tests.page_forms import fields

USERS = reference_data("acme")["users"]
# The label; three values, each as typed, as sent and as shown.
FIELDS = {
    "nickname": ("Nickname", ("Zozo",) * 3, ("Zuzu",) * 3, ("Zaza",) * 3),
    "birthday": (
        "Birthday",
        ("4/3/1990", "1990-03-04", "4 Mar 1990"),
        ("5 mar 1990", "1990-03-05", "5 Mar 1990"),
        ("6/3/1990", "1990-03-06", "6 Mar 1990"),
    ),
    "credit_limit": (
        "Credit limit",
        ("1,250.5", 1250.5, "1,250.5"),
        ("2000", 2000, "2,000"),
        ("0.25", 0.25, "0.25"),
    ),
    "rating": ("Rating", ("1", 1, "Good"), ("2", 2, "Bad"), ("3", 3, "Ugly")),
    "manager_id": (
        "Account manager",
        *((str(user["id"]), user["id"], user["name"]) for user in USERS[:3]),
    ),
}

@pytest.mark.parametrize("name", FIELDS)
@every_profile
def test_form_page_list_and_service_have_the_field(desk, sent, lists, gateway, name):
    label, first, second, third = FIELDS[name]
    page = desk.get("/contacts/new/")
    assert label in text(page)
    typed = fields(page, cstname="Zoe Quux", **{name: first[0]})
    made = desk.post("/contacts/new/", typed, follow=True)
    assert sent("create")[-1][name] == first[1]
    assert f"{label} {first[2]}" in text(made)
    sent_beside = [line.label for line in made.context["record_page"].details.extra]
    assert name.replace("_", " ").capitalize() not in sent_beside
    row = text(desk.get("/contacts/", {"search": "Zoe Quux"}))
    assert label in row
    assert first[2] in row.partition("Zoe Quux")[2]

    address = made.redirect_chain[-1][0]
    edit = address + "edit/"
    assert "Nothing was changed" in text(desk.post(edit, fields(desk.get(edit)), follow=True))
    changed = desk.post(edit, fields(desk.get(edit), **{name: second[0]}), follow=True)
    assert sent("update") == [{name: second[1]}]
    assert f"{label} {second[2]}" in text(changed)
    assert "class=\\"note note-warning" not in changed.content.decode()

    opened = desk.get(edit)
    gateway.update(CONTACTS, int(address.split("/")[-2]), {name: third[1]})
    clash = desk.post(edit, fields(opened, **{name: first[0]}))
    assert clash.status_code == 409
    assert "Someone else changed" in text(clash)
    assert third[2] in text(clash)

    emptied = desk.post(edit, fields(desk.get(edit), **{name: ""}), follow=True)
    assert sent("update")[-1] in ({name: None}, {name: ""})
    assert label in [line.label for line in emptied.context["record_page"].details.empty]
'''


def examples() -> dict[str, tuple[str, str, str]]:
    """The lines of the page by kind of field: form field, name in a section, stand-in."""
    page = section("docs/developing.md", "Adding a field")
    form, name, standin = re.findall(r"```python\n +(.*)\n +```", page)
    rows = re.findall(r"^\| (\w+) \| `(.*)` \| `(.*)` \|$", page, re.MULTILINE)
    others = {kind: (field, f'"{NAMES[kind]}",', line) for kind, field, line in rows}
    return {"text": (form, name, standin), **others}


def add_field(copy: Copy, lines: tuple[str, str, str]) -> None:
    """Insert each line of an example where the page says."""
    form, name, standin = lines
    copy.insert(FORMS, form, below="ct_taxnumber =")
    copy.insert(FORMS, name, below='(?<= {16})"ct_taxnumber",')  # in the section
    copy.insert(FORMS, name, below='(?<=^ {8})"cstmobile",')  # in the columns
    copy.insert(STANDIN, standin, below='Field\\("ct_taxnumber"')


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy(tmp_path)


def test_the_page_has_an_example_of_each_kind():
    found = examples()
    assert list(found) == list(NAMES)
    for kind, (form, _, standin) in found.items():
        assert form.startswith(f"{NAMES[kind]} = ")
        assert standin.startswith(f'Field("{NAMES[kind]}",')


@pytest.mark.parametrize("kind", NAMES)
def test_a_new_field_touches_two_files(copy, kind):
    add_field(copy, examples()[kind])
    assert copy.changed_files() == {FORMS, STANDIN}


def test_a_new_field_of_each_kind_works_on_all_pages(copy):
    for line in NEEDED:
        copy.insert(FORMS, line, below="from django import forms")
    for lines in examples().values():
        add_field(copy, lines)
    copy.write("tests/resources/test_added_fields.py", TRIED)
    done = copy.run_tests("tests/resources/test_added_fields.py")
    assert done.returncode == 0, done.stdout
