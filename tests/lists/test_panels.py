"""The panels of a list, whose contents come when they are opened."""

import re

import pytest

from dashboard.schema.registry import RESOURCES
from tests.page_forms import page_forms

URL = "/invoices/?due=overdue&size=10"


def data_of(page, url):
    [form] = [each for each in page_forms(page.content.decode(), url) if "search" in each.names]
    return form.data()


def test_a_search_keeps_the_filters_of_a_panel_that_was_not_opened(desk):
    data = data_of(desk.get(URL), URL)
    assert (data["due"], data["size"]) == (["overdue"], ["10"])


@pytest.mark.parametrize("panel", ["columns", "filters"])
@pytest.mark.parametrize("name", RESOURCES)
def test_a_panel_has_the_fields_of_its_list(desk, name, panel):
    page = desk.get(f"/{name}/panel/?panel={panel}", headers={"HX-Request": "true"})
    names = {*re.findall(r'name="([\w-]+)"', page.content.decode())}
    filters = {each.name for each in RESOURCES[name].filters}
    assert (filters if panel == "filters" else {"column"}) <= names


def test_there_is_no_other_panel(desk):
    assert desk.get("/invoices/panel/?panel=other").status_code == 404
