"""Whatever shape a refusal has, pages say it beside their own fields, in their own words."""

import re
from itertools import product

import pytest

from dashboard.gateway.api import LINE_FIELDS
from dashboard.jobs.models import Job
from dashboard.office.reference_fields import ReferenceField
from dashboard.schema.fields import ChoiceField, EmailField
from dashboard.schema.inputs import DayField, MomentField, NumberField
from dashboard.schema.phones import PhoneField
from dashboard.schema.registry import RESOURCES
from dashboard.standin.reference_data import reference_data
from tests import other_vendor
from tests.helpers import end_looks, text
from tests.imports.test_import import send, upload
from tests.jobs.conftest import propose
from tests.other_vendor import QUOKKA, REFUSALS
from tests.page_forms import fields

from .test_every_resource import CHANGED, typed_into

HTMX = {"HX-Request": "true"}
PIPELINE = reference_data("acme")["pipelines"][0]["name"]
CUSTOM = "Preferred language"
WIRE_NAMES = {
    name
    for name in (*(each for r in RESOURCES.values() for each in r.endpoint.kinds),
                 *(field.name for field in LINE_FIELDS))
    if "_" in name or name.startswith("cst")
}  # fmt: skip
DOCUMENT = "No;Customer;Item;Quantity;Price\nA-1;Zebra Ltd;Consulting hour;2;95\n"
FILES = {
    "contacts": "Name;Email\nYara Yellow;yara@yellow.example\n",
    "leads": "Name;Email\nYara Yellow;yara@yellow.example\n",
    "deals": f"Deal;Customer;Pipeline\nRoof;Zebra Ltd;{PIPELINE}\n",
    "tasks": "Title;Start;Contact\nNail it;2 Mar 2026 09:00;Zebra Ltd\n",
    "estimates": DOCUMENT,
    "invoices": DOCUMENT,
}
IN_BULK = {
    "contacts": {"cstmobile_country_id": "49"},
    "leads": {"lead_source": "Fair"},
    "deals": {"deal_source": "Fair"},
    "tasks": {"priority": "3"},
    "estimates": {"expiry_date": "3 Mar 2027"},
    "invoices": {"due_date": "3 Mar 2027"},
}


def cases():
    """Every resource with every shape; each shape and each resource is there everyday."""
    for (at, resource), (by, shape) in product(enumerate(RESOURCES.values()), enumerate(REFUSALS)):
        marks = [] if by % len(RESOURCES) == at else [pytest.mark.slow]
        yield pytest.param(resource, shape, marks=marks, id=f"{resource.name}, {shape}")


walked = pytest.mark.parametrize(("resource", "shape"), list(cases()))
pytestmark = pytest.mark.usefixtures("unpublished", "lists", "one_thread")


@pytest.fixture
def refuse(standin):
    """refuse(shape, names): the service refuses writes from now on."""
    yield lambda shape, names: other_vendor.refuse(standin, shape, names)
    other_vendor.take_back(standin)


def keys_of(resource, names):
    """The keys under which a service refuses fields, nested ones included."""
    for name in names:
        if name == "items":
            yield from (f"items.0.{field.name}" for field in LINE_FIELDS)
        elif name == "custom_fields":
            yield f"custom_fields.{CUSTOM}"
        else:
            yield name


def check(page):
    """No name of the service is on the page, and its words stand under Technical details alone."""
    html = page.content.decode()
    apart = re.sub(r"<details class=\"technical\">.*?</details>", " ", html, flags=re.DOTALL)
    page.content = apart.encode()
    words = text(page)
    assert QUOKKA not in words
    assert not [name for name in WIRE_NAMES if re.search(rf"\b{name}\b", words)]
    assert QUOKKA in html
    assert "Technical details" in html


def another_value(resource, name):
    """What is typed in a field to change it."""
    field = resource.edit_form.base_fields[name]
    if isinstance(field, ReferenceField):
        return {name: "other", f"{name}-number": "987"}
    if isinstance(field, ChoiceField):
        return {name: [*field.captions][-1]}
    kinds = {EmailField: "new@zebra.example", PhoneField: "0301234", DayField: "3 Mar 2027",
             MomentField: "3 Mar 2027 09:00", NumberField: "17"}  # fmt: skip
    return {name: next((typed for kind, typed in kinds.items() if isinstance(field, kind)), "ZX-7")}


def check_form(page, names, shape):
    assert page.status_code == 422
    form = page.context["form"]
    if shape != "only a message":
        assert set(form.errors) == set(names) & form.fields.keys()
    check(page)


@walked
def test_a_form_that_is_refused(desk, zebra, refuse, resource, shape):
    names = [*resource.create_form.base_fields]
    refuse(shape, keys_of(resource, names))
    page = desk.post(f"/{resource.name}/new/", typed_into(desk, resource, zebra))
    check_form(page, names, shape)
    check(desk.get("/unfinished/"))


@walked
def test_an_edit_that_is_refused_as_a_form_and_in_place(desk, zebra, refuse, resource, shape):
    made = desk.post(f"/{resource.name}/new/", typed_into(desk, resource, zebra))["Location"]
    name, value = CHANGED[resource.name]
    names = [*resource.edit_form.base_fields]
    refuse(shape, keys_of(resource, names))
    opened = fields(desk.get(f"{made}edit/"), **{name: value})
    check_form(desk.post(f"{made}edit/", opened), names, shape)
    for name in resource.editable_in_place:
        url = f"{made}edit/?field={name}"
        refuse(shape, [name])
        alone = fields(desk.get(url, headers=HTMX), **another_value(resource, name))
        page = desk.post(url, alone, headers=HTMX)
        assert page.status_code == 422, name
        check(page)


@walked
def test_a_write_that_is_refused_when_it_is_sent_again(
    desk, standin, zebra, refuse, resource, shape
):
    standin.fault("reset-before", operation="create", times=1)
    typed = typed_into(desk, resource, zebra)
    page = desk.post(f"/{resource.name}/new/", typed, follow=True)
    end_looks()
    refuse(shape, keys_of(resource, resource.create_form.base_fields))
    again = f"{page.redirect_chain[-1][0]}again/"
    check(desk.post(again, follow=True))


@walked
def test_the_rows_of_jobs_that_are_refused(desk, zebra, refuse, resource, shape):
    made = desk.post(f"/{resource.name}/new/", typed_into(desk, resource, zebra))["Location"]
    number = made.strip("/").rpartition("/")[2]
    refuse(shape, keys_of(resource, resource.fields))
    job = propose(desk, resource.name, "change", [number], **IN_BULK[resource.name])
    desk.post(f"/bulk/{job.pk}/start/")
    url = upload(desk, FILES[resource.name], resource=resource.name)
    send(desk, url)
    assert [job.counts for job in Job.objects.all()] == [{"not saved": 1}] * 2
    for job in Job.objects.all():
        check(desk.get(f"/jobs/{job.pk}/"))
