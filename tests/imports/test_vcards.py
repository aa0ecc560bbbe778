"""The people of a vCard file are imported; what has no field of its own stands in the notes."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from tests.helpers import text
from tests.imports.test_import import counts, send, upload

CARDS = """BEGIN:VCARD
VERSION:3.0
N:Dune;Ria;;;
FN:Ria Dune
EMAIL:ria@dune.example
TEL;TYPE=HOME:+44 20 7946 0000
TEL;TYPE=CELL:+44 7911 400001
ADR:;;Dorfstr. 4;Köln;;50667;Germany
TITLE:Buyer
END:VCARD
BEGIN:VCARD
VERSION:3.0
FN:Dune Ltd
ORG:Dune Ltd
EMAIL:office@dune.example
END:VCARD
"""


def test_cards_become_contacts(desk, sent):
    url = upload(desk, CARDS.encode(), "contacts.vcf")
    assert counts(desk.get(url)) == {"ready": 2}
    send(desk, url)
    person, business = sorted(sent("create"), key=lambda body: body["contact_type"])[-2:]
    assert (person["cstname"], person["cstmobile"]) == ("Ria Dune", "+44 7911 400001")
    assert person["cstaddress"] == "Dorfstr. 4, 50667 Köln, Germany"
    assert person["cstnotes"] == "Job title: Buyer\nOther phones: +44 20 7946 0000"
    assert (business["cstname"], business["contact_type"]) == ("Dune Ltd", 2)
    assert business["cstemail"] == "office@dune.example"


def test_cards_become_leads(desk):
    assert counts(desk.get(upload(desk, CARDS.encode(), "c.vcf", "leads")))["ready"] >= 1


@pytest.mark.parametrize("resource", ["deals", "invoices"])
def test_cards_are_no_documents_or_deals(desk, resource):
    file = SimpleUploadedFile("contacts.vcf", CARDS.encode())
    page = desk.post(f"/{resource}/import/", {"file": file})
    assert page.status_code == 422
    assert "Import it into contacts or leads." in text(page)
