"""A workspace's lists can be filled from plain data."""

from decimal import Decimal

import pytest

from dashboard.catalogue.kinds import Kind
from dashboard.catalogue.services import choices, entries, entry, fill, names
from dashboard.standin.reference_data import reference_data

pytestmark = pytest.mark.django_db


def test_the_stand_ins_lists_fill_ours():
    fill("Acme", reference_data("acme"))
    assert names("Acme", Kind.PIPELINE)[1] == "New business"
    assert choices("Acme", Kind.STAGE)["11"] == "New business: Enquiry"
    assert entry("Acme", Kind.ITEM, 501).price == Decimal("95")
    assert entry("Acme", Kind.TAX, "61").rate == Decimal("20")
    assert entry("Acme", Kind.COUNTRY, 3).calling_code == "33"
    assert names("Acme", Kind.CONTACT_TAG) == names("Acme", Kind.LEAD_TAG)
    assert "Größe" in [field.name for field in entries("Acme", Kind.LEAD_FIELD)]


def test_filling_twice_changes_nothing_and_takes_nothing_away():
    fill("Acme", {"brands": [{"id": 1, "name": "Nordlicht"}, {"id": 2, "name": "House"}]})
    fill("Acme", {"brands": [{"id": 2, "name": "House brand"}]})
    assert names("Acme", Kind.BRAND) == {1: "Nordlicht", 2: "House brand"}
