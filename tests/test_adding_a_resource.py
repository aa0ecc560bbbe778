"""The new resource of docs/developing.md, added to a copy and tested through its pages."""

import re
from pathlib import Path

import pytest

from tests.copies import Copy, section

pytestmark = pytest.mark.slow

MODULE = '''
"""Projects: work for a customer."""

from collections.abc import Mapping
from typing import Any

from django import forms

from dashboard.office.reference_fields import ReferenceField
from dashboard.office.kinds import Kind
from dashboard.gateway import CONTACTS
from dashboard.gateway.api import PROJECTS as ENDPOINT
from dashboard.schema.fields import ChoiceField, TextField
from dashboard.schema.filters import filters
from dashboard.schema.inputs import DayField, MoneyField
from dashboard.schema.pickers import PickerField
from dashboard.schema.record_form import RecordForm
from dashboard.schema.resource import Section, columns, details
from dashboard.schema.resource import DuplicateSearch, Resource

STAGES = {0: "Planned", 1: "Running", 2: "Done"}


class ProjectForm(RecordForm):
    """A new or an existing project."""

    project_name = TextField(label="Name", max_length=80)
    cstid = PickerField(CONTACTS, label="Customer")
    stage = ChoiceField(
        label="Stage", choices=tuple(STAGES.items()), coerce=int, initial=0
    )
    budget = MoneyField(label="Budget", required=False)
    begins_on = DayField(label="Begins", required=False)
    owner_id = ReferenceField(kind=Kind.USER, label="Owner", required=False)
    brief = TextField(label="Brief", required=False, widget=forms.Textarea)


def _ask(body: Mapping[str, Any]) -> dict[str, Any]:
    """The search that finds a project again."""
    return {"search": body.get("project_name") or ""}


PROJECTS: Resource = Resource(
    endpoint=ENDPOINT,
    icon="square-check",
    key="q",
    search_hint="Name",
    columns=columns("project_name", "cstid", "stage", "budget", "begins_on"),
    filters=filters("stage", "cstid"),
    subtitle=details("stage", "budget"),
    sections=(Section("Project", details("cstid", "begins_on", "owner_id", "brief")),),
    duplicate_search=DuplicateSearch(ask=_ask, same={"project_name": "project_name"}),
    create_form=ProjectForm,
    edit_form=ProjectForm,
)
'''

ENDPOINT = """
_PROJECT = (
    Field("project_name", required=True),
    _id("cstid", required=True),
    Field("stage", "integer"),
    Field("budget", "number"),
    Field("begins_on", "date"),
    _id("owner_id"),
    Field("brief"),
)
PROJECTS = Endpoint(
    name="projects",
    singular="project",
    id_field="project_id",
    label_field="project_name",
    fields=(
        _id("project_id"),
        Field("project_name"),
        _id("cstid"),
        Field("stage", "integer"),
        Field("budget", "number"),
        Field("begins_on", "date"),
    ),
    create=_PROJECT,
    update=_PROJECT,
    filters=(Field("stage", "integer"), _id("cstid")),
    operations=ALL,
)
"""

STANDIN = '''
"""Projects: work for a customer."""

from ..schema import Field, Filter, Record, Resource, Seed
from ..seed_workspace import SeedWorkspace


def sample(workspace: SeedWorkspace, index: int, count: int) -> Record:
    """A project of a random business."""
    return {
        "project_name": f"Project {index}",
        "cstid": workspace.business(),
        "stage": index % 3,
        "budget": 100 * index,
        "begins_on": workspace.days[index],
    }


PROJECTS = Resource(
    name="projects",
    singular="project",
    id_field="project_id",
    label="project_name",
    operations=("list", "get", "create", "update", "delete"),
    first_id=9001,
    created_fields=("project_id", "project_name"),
    search=("project_name",),
    filters=(
        Filter("stage", "integer", "stage", choices=(0, 1, 2)),
        Filter("cstid", "integer", "cstid"),
    ),
    fields=(
        Field("project_id", "integer", "list"),
        Field("project_name", "string", "list create! update!", limit=80),
        Field("cstid", "integer", "list create! update!", refers="contacts"),
        Field("stage", "integer", "list create update", choices=(0, 1, 2)),
        Field("budget", "number", "list create update"),
        Field("begins_on", "date", "list create update"),
        Field("owner_id", "integer", "create update", refers="users"),
        Field("brief", "string", "create update"),
    ),
    seed=Seed(sample, demo=30, small=12),
)
'''

TRIED = '''
"""The pages of the resource that was added."""

from dashboard.standin.reference_data import reference_data
from tests.helpers import ask_to_delete, delete_now, text
from tests.conftest import every_profile
from tests.page_forms import fields

USER = reference_data("acme")["users"][0]


@every_profile
def test_a_project_is_created_listed_edited_and_deleted(desk, sent, lists, zebra):
    page = desk.get("/projects/new/")
    typed = {"project_name": "Stripes", "cstid": str(zebra), "cstid-text": None, "budget": "1,500"}
    typed |= {"begins_on": "4/3/2024", "stage": "1", "owner_id": str(USER["id"])}
    made = desk.post("/projects/new/", fields(page, **typed), follow=True)
    assert "Project Stripes was created" in text(made)
    assert sent("create", resource="projects") == [
        {
            "project_name": "Stripes",
            "cstid": zebra,
            "stage": 1,
            "budget": 1500,
            "begins_on": "2024-03-04",
            "owner_id": USER["id"],
        }
    ]
    address = made.redirect_chain[-1][0]
    for words in ("Budget 1,500.00", "Stage Running", "Customer Zebra Ltd", "Begins 4 Mar 2024"):
        assert words in text(made)
    assert f"Owner {USER['name']}" in text(made)

    listed = desk.get("/projects/", {"search": "Stripes", "stage": "1", "cstid": str(zebra)})
    assert f'href="{address}"' in listed.content.decode()
    row = text(listed).partition("Stripes Zebra Ltd Running 1,500")[2]
    assert "4 Mar 2024" in row.partition("Keyboard")[0]

    edit = desk.get(f"{address}edit/")
    changed = desk.post(f"{address}edit/", fields(edit, budget="2000.5"), follow=True)
    assert "Budget 2,000.50" in text(changed)
    assert "Changed" in text(desk.get(f"{address}history/"))

    gone = delete_now(desk, ask_to_delete(desk, address))
    assert "was deleted" in text(gone)
    assert desk.get(address).status_code == 404


def test_menu_and_search_show_the_resource(desk):
    page = desk.get("/projects/")
    html = page.content.decode()
    assert 'href="/projects/" data-key="g q" aria-current="page"' in html
    assert 'href="/projects/new/" data-key="c q"' in html
    found = desk.get("/search/?q=projects&hits=1").content.decode()
    assert 'href="/projects/"' in found
    assert "12 projects" in text(page)
'''

FILES = {
    "dashboard/resources/NAME.py",
    "dashboard/settings.py",
    "dashboard/gateway/api.py",
    "dashboard/standin/resources/NAME.py",
    "dashboard/standin/resources/__init__.py",
}


def add_projects(copy: Copy) -> None:
    copy.write("dashboard/resources/projects.py", MODULE)
    last = '    "dashboard.documents.invoices.INVOICES",\n'
    added = '    "dashboard.resources.projects.PROJECTS",\n'
    copy.replace("dashboard/settings.py", last, last + added)
    copy.replace("dashboard/gateway/api.py", "\nENDPOINTS = ", f"{ENDPOINT}\nENDPOINTS = ")
    copy.replace("dashboard/gateway/api.py", "INVOICES)\n", "INVOICES, PROJECTS)\n")
    copy.write("dashboard/standin/resources/projects.py", STANDIN)
    standin = "dashboard/standin/resources/__init__.py"
    copy.insert(standin, "from .projects import PROJECTS", below="from .l")
    copy.replace(standin, "INVOICES)", "INVOICES, PROJECTS)")


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    new = Copy(tmp_path)
    add_projects(new)
    return new


def test_a_new_resource_touches_the_files_that_the_page_lists(copy):
    listed = re.findall(
        r"^\d\. `(\S+)`", section("docs/developing.md", "Adding a resource"), re.MULTILINE
    )
    assert set(listed) == FILES
    assert copy.changed_files() == {name.replace("NAME", "projects") for name in FILES}


def test_a_new_resource_works_on_all_pages(copy):
    copy.write("tests/resources/test_projects.py", TRIED)
    done = copy.run_tests("tests/resources/test_projects.py")
    assert done.returncode == 0, done.stdout
