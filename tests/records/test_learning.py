"""Records that are read fill the workspace's lists, or the list of what waits for a name."""

import pytest

from dashboard.office.editing import save_entries, unnamed_of
from dashboard.office.kinds import Kind

pytestmark = pytest.mark.django_db


@pytest.fixture
def reader(viewer, with_keys, client_of):
    return client_of(with_keys(viewer))


def waiting(kind):
    return [one.code for one in unnamed_of("Acme") if one.kind == kind]


def test_reading_a_contact_records_its_references(reader):
    page = reader.get("/contacts/1001/").content.decode()
    countries = waiting(Kind.COUNTRY)
    assert len(countries) == 1
    assert f"#{countries[0]} (not named yet)" in page
    save_entries("Acme", Kind.COUNTRY, [{"code": countries[0], "name": "Ruritania"}])
    assert "Ruritania" in reader.get("/contacts/1001/").content.decode()
    assert waiting(Kind.COUNTRY) == []


def test_reading_it_again_needs_no_query_for_the_lists(reader, django_assert_max_num_queries):
    for _ in range(2):  # the first one changes the lists, once its page was sent
        reader.get("/contacts/1001/")
    with django_assert_max_num_queries(12) as queries:
        reader.get("/contacts/1001/")
    assert not [one for one in queries.captured_queries if "office_listentry" in one["sql"]]
