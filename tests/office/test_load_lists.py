"""Filling the lists of a workspace from plain data."""

import json
from decimal import Decimal

import pytest
from django.core.management import CommandError, call_command

from dashboard.office.kinds import Kind
from dashboard.office.list_import import load_reference_lists
from dashboard.office.models import ListEntry
from dashboard.office.reference_lists import choices, entries, entry, names
from dashboard.standin.reference_data import reference_data
from tests.workspaces import of_name

pytestmark = pytest.mark.django_db


def test_the_lists_of_the_stand_in_are_stored():
    load_reference_lists("Acme", reference_data("acme"))
    assert names("Acme", Kind.PIPELINE)[1] == "New business"
    assert choices("Acme", Kind.STAGE)["11"] == "New business: Enquiry"
    assert entry("Acme", Kind.ITEM, 501).price == Decimal("95")
    assert entry("Acme", Kind.TAX, "61").rate == Decimal("20")
    assert entry("Acme", Kind.COUNTRY, 3).calling_code == "33"
    assert names("Acme", Kind.CONTACT_TAG) == names("Acme", Kind.LEAD_TAG)
    assert "Größe" in [field.name for field in entries("Acme", Kind.LEAD_FIELD)]


def test_filling_twice_changes_nothing():
    load_reference_lists(
        "Acme", {"brands": [{"id": 1, "name": "Nordlicht"}, {"id": 2, "name": "House"}]}
    )
    load_reference_lists("Acme", {"brands": [{"id": 2, "name": "House brand"}]})
    assert names("Acme", Kind.BRAND) == {1: "Nordlicht", 2: "House brand"}


def test_the_command_reads_a_file(tmp_path, capsys):
    path = tmp_path / "lists.json"
    rows = [{"id": "tx_1", "name": "VAT", "rate": 20, "tax_rate": 19}]
    path.write_text(json.dumps({"taxes": rows, "unknown": 1}), "utf-8")
    of_name("Acme")
    call_command("load_lists", "Acme", file=str(path))
    assert entry("Acme", Kind.TAX, "tx_1").name == "VAT"
    out = capsys.readouterr().out
    assert "were updated" in out
    assert "taxes: tax_rate; unknown" in out


@pytest.mark.parametrize("text", ["[]", '{"taxes": [{"id": 1}]}', '{"taxes": 3}', "nonsense"])
def test_an_invalid_file_changes_nothing(tmp_path, text):
    path = tmp_path / "lists.json"
    path.write_text(text, "utf-8")
    of_name("Acme")
    with pytest.raises(CommandError, match=r"Unknown lists|cannot be read|is not valid JSON"):
        call_command("load_lists", "Acme", file=str(path))
    assert not ListEntry.objects.exists()
