"""Columns go to fields by the words of offices in eight languages, and by the heads of exports."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.imports import guessing, targets
from dashboard.imports.targets import (
    BUSINESSES,
    CLAIM,
    CUSTOM_FIELDS,
    DESCRIPTION,
    DISCOUNT,
    EMAIL_BESIDE,
    EXTRA_NOTES,
    FILE_TOTAL,
    ID,
    ITEM_NAME,
    LINE,
    LINE_TOTAL,
    OVERALL_DISCOUNT,
    SUBTOTAL,
)
from dashboard.schema.registry import RESOURCES
from dashboard.tables import headings
from tests.imports.test_import import counts, upload
from tests.tables.files import read_table

TICKS = {"cstemailnotify", "cstsmsnotify", "cst_whatsapp_notify"}
OTHERS = {ID, EXTRA_NOTES, CUSTOM_FIELDS, EMAIL_BESIDE}
NAME, EMAIL, PHONE, ADDRESS = "cstname", "cstemail", "cstmobile", "cstaddress"
FIRM = "contact_parent"
OFFICES = {
    "de": ("contacts", "Vorname;Nachname;Firma;Straße;PLZ Ort;E-Mail;Telefon;Bemerkung",
           (NAME, NAME, FIRM, ADDRESS, ADDRESS, EMAIL, PHONE, "cstnotes")),
    "fr": ("contacts", "Nom;Prénom;Société;Adresse;Code postal;Ville;Courriel;Téléphone",
           (NAME, NAME, FIRM, ADDRESS, ADDRESS, ADDRESS, EMAIL, PHONE)),
    "es": ("leads", "Nombre;Apellidos;Empresa;Correo electrónico;Móvil;Origen",
           (NAME, NAME, "lead_company_name", EMAIL, PHONE, "lead_source")),
    "it": ("invoices", "Numero fattura;Cliente;Data;Scadenza;Articolo;Quantità;Prezzo unitario;IVA",
           ("transaction_number", "customer_id", "transaction_date", "due_date", "line:item_name",
            "line:quantity", "line:price", "line:tax_id")),
    "nl": ("tasks", "Onderwerp;Klant;Begindatum;Vervaldatum;Prioriteit;Omschrijving",
           ("title", "cstid", "start_datetime", "end_datetime", "priority", "description")),
    "pl": ("contacts", "Imię;Nazwisko;Nazwa firmy;Ulica;Kod pocztowy;Miasto;Telefon komórkowy;NIP",
           (NAME, NAME, FIRM, ADDRESS, ADDRESS, ADDRESS, PHONE, "ct_taxnumber")),
    "pt": ("deals", "Negócio;Cliente;Valor;Moeda;Data de fecho;Funil;Responsável",
           ("deal_name", "cstid", "deal_amount", "deal_amount_currency",
            "deal_expected_close_date", "pipeline_id", "deal_owner_id")),
}  # fmt: skip
EXPORTS = {
    "HubSpot contacts": (
        "contacts",
        "Record ID;First Name;Last Name;Email;Phone Number;Associated Company;Street Address;City;"
        "State/Region;Postal Code;Country/Region;Lead Status",
        ("", NAME, NAME, EMAIL, PHONE, FIRM, *[ADDRESS] * 5, ""),
    ),
    "HubSpot deals": (
        "deals",
        "Record ID;Deal Name;Deal Stage;Close Date;Deal owner;Amount;Pipeline;Currency;"
        "Associated Contact;Associated Company",
        ("", "deal_name", "", "deal_expected_close_date", "deal_owner_id", "deal_amount",
         "pipeline_id", "deal_amount_currency", "deal_contact_id", "cstid"),
    ),
    "Pipedrive people": (
        "contacts",
        "Person - Name;Person - Label;Person - Organization;Person - Email - Work;"
        "Person - Phone - Work;Person - Postal address",
        (NAME, "cst_tag_id", FIRM, EMAIL, PHONE, ADDRESS),
    ),
    "Pipedrive deals": (
        "deals",
        "Deal - Title;Deal - Organization;Deal - Contact person;Deal - Value;"
        "Deal - Currency of Value;Deal - Pipeline;Deal - Stage;Deal - Owner;"
        "Deal - Expected close date",
        ("deal_name", "cstid", "deal_contact_id", "deal_amount", "deal_amount_currency",
         "pipeline_id", "", "deal_owner_id", "deal_expected_close_date"),
    ),
    "Pipedrive activities": (
        "tasks",
        "Activity - Subject;Activity - Due date;Activity - Assigned to user;"
        "Activity - Contact person;Activity - Deal;Activity - Note;Activity - Priority",
        ("title", "end_datetime", "assigned_user_id", "cstid", "deal_id", "description",
         "priority"),
    ),
    "Salesforce contacts": (
        "contacts",
        "FirstName;LastName;AccountName;Title;Email;Phone;MailingStreet;MailingCity;MailingState;"
        "MailingPostalCode;MailingCountry",
        (NAME, NAME, FIRM, "", EMAIL, PHONE, *[ADDRESS] * 5),
    ),
    "Salesforce opportunities": (
        "deals",
        "Opportunity Owner;Account Name;Opportunity Name;Stage;Amount;Close Date;Lead Source",
        ("deal_owner_id", "cstid", "deal_name", "", "deal_amount", "deal_expected_close_date",
         "deal_source"),
    ),
    "Salesforce leads": (
        "leads",
        "First Name;Last Name;Company / Account;Email;Lead Source;Street;City;Industry;Lead Owner",
        (NAME, NAME, "lead_company_name", EMAIL, "lead_source", ADDRESS, ADDRESS, "lead_industry",
         "lead_assignedto"),
    ),
    "Google Contacts": (
        "contacts",
        "First Name;Middle Name;Last Name;Organization Name;Notes;Labels;E-mail 1 - Value;"
        "Phone 1 - Value;Address 1 - Street;Address 1 - City;Address 1 - Postal Code",
        (NAME, NAME, NAME, FIRM, "cstnotes", "cst_tag_id", EMAIL, PHONE, *[ADDRESS] * 3),
    ),
    "Outlook": (
        "contacts",
        "First Name;Last Name;Company;Job Title;Business Street;Business City;"
        "Business Postal Code;Business Country/Region;Business Phone;E-mail Address;Categories",
        (NAME, NAME, FIRM, "", *[ADDRESS] * 4, PHONE, EMAIL, "cst_tag_id"),
    ),
    "Xero contacts": (
        "contacts",
        "*ContactName;EmailAddress;POAddressLine1;POCity;POPostalCode;POCountry;PhoneNumber;"
        "TaxNumber",
        (NAME, EMAIL, *[ADDRESS] * 4, PHONE, "ct_taxnumber"),
    ),
    "Xero invoices": (
        "invoices",
        "*ContactName;*InvoiceNumber;Reference;*InvoiceDate;*DueDate;InventoryItemCode;"
        "*Description;*Quantity;*UnitAmount;Discount;*TaxType;Currency;BrandingTheme",
        ("customer_id", "transaction_number", "reference", "transaction_date", "due_date",
         "line:item_id", "line:description", "line:quantity", "line:price", "line:discount",
         "line:tax_id", "org_currency_id", "template_id"),
    ),
    "Outlook calendar": (
        "tasks",
        "Subject;Start Date;Start Time;End Date;End Time;All day event;Categories;Description;"
        "Location;Priority",
        ("title", "start_datetime", "start_datetime", "end_datetime", "end_datetime", "", "tags",
         "description", "", "priority"),
        "Visit;12/15/2026;2:30:00 PM;12/15/2026;3:30:00 PM;False;Fair;Talk;Here;Normal",
    ),
    "QuickBooks customers": (
        "contacts",
        "Customer full name;Company name;Phone;Email;Street Address;City;State;Country;Zip;"
        "Balance",
        (NAME, FIRM, PHONE, EMAIL, *[ADDRESS] * 5, ""),
    ),
    "QuickBooks invoices": (
        "invoices",
        "InvoiceNo;Customer;InvoiceDate;DueDate;Memo;Item (Product/Service);ItemDescription;"
        "ItemQuantity;ItemRate;ItemAmount;ItemTaxCode;Currency",
        ("transaction_number", "customer_id", "transaction_date", "due_date", "notes",
         "line:item_name", "line:description", "line:quantity", "line:price", "file:line_total",
         "line:tax_id", "org_currency_id"),
    ),
    "ERPNext customers": (
        "contacts",
        "ID;Customer Name;Customer Type;Customer Group;Territory;Tax ID;Email Id;Mobile No",
        ("id", NAME, "contact_type", "", "", "ct_taxnumber", EMAIL, PHONE),
    ),
    "ERPNext invoices": (
        "invoices",
        "Customer;Posting Date;Payment Due Date;Customer's Purchase Order;Item Code (Items);"
        "Item Name (Items);Description (Items);Quantity (Items);Rate (Items);Amount (Items)",
        ("customer_id", "transaction_date", "due_date", "reference", "line:item_id",
         "line:item_name", "line:description", "line:quantity", "line:price",
         "file:line_total"),
    ),
    "ERPNext opportunities": (
        "deals",
        "Opportunity From;Party;Opportunity Owner;Currency;Opportunity Amount;"
        "Expected Closing Date;Source",
        ("", "cstid", "deal_owner_id", "deal_amount_currency", "deal_amount",
         "deal_expected_close_date", "deal_source"),
    ),
    "Zoho Books contacts": (
        "contacts",
        "Contact ID;Display Name;Company Name;Salutation;First Name;Last Name;EmailID;Phone;"
        "MobilePhone;Customer Sub Type;Billing Address;Billing Street2;Billing City;"
        "Billing State;Billing Country;Billing Code;Notes",
        ("", "", FIRM, "", NAME, NAME, EMAIL, PHONE, PHONE, "contact_type", *[ADDRESS] * 6,
         "cstnotes"),
    ),
    "Zoho Books invoices": (
        "invoices",
        "Invoice Date;Invoice ID;Invoice Number;Customer ID;Customer Name;Due Date;PurchaseOrder;"
        "Currency Code;Exchange Rate;Entity Discount Percent;Item Name;Item Desc;Quantity;"
        "Item Price;Discount;Item Tax;Item Tax %;Item Total;SubTotal;Total;Balance;Sales person;"
        "Account",
        ("transaction_date", "", "transaction_number", "", "customer_id", "due_date", "reference",
         "org_currency_id", "conversion_rate", "overall_discount", "line:item_name",
         "line:description", "line:quantity", "line:price", "line:discount", "line:tax_id",
         "line:tax_rate", "file:line_total", "file:subtotal", "file:total", "file:balance",
         "assigned_to", ""),
    ),
    "Invoice Ninja clients": (
        "contacts",
        "Client Name;Client Phone;Client Street;Client City;Client State;Client Postal Code;"
        "Client Country;Client VAT Number;Contact First Name;Contact Last Name;Contact Email;"
        "Contact Phone;Client Private Notes",
        (FIRM, PHONE, *[ADDRESS] * 5, "ct_taxnumber", NAME, NAME, EMAIL, PHONE, "cstnotes"),
    ),
    "Invoice Ninja invoices": (
        "invoices",
        "Invoice Number;Client Name;Invoice Date;Due Date;PO Number;Item Product;Item Notes;"
        "Item Cost;Item Quantity;Item Discount;Item Tax Name 1;Item Tax Rate 1;Item Line Total",
        ("transaction_number", "customer_id", "transaction_date", "due_date", "reference",
         "line:item_name", "line:description", "line:price", "line:quantity", "line:discount",
         "line:tax_id", "line:tax_rate", "file:line_total"),
    ),
    "Wave customers": (
        "contacts",
        "customer_name;email;contact_first_name;contact_last_name;phone;mobile;country;province;"
        "address_line_1;address_line_2;city;postal_code",
        (FIRM, EMAIL, NAME, NAME, PHONE, PHONE, *[ADDRESS] * 6),
    ),
    "Shopify customers": (
        "contacts",
        "Customer ID;First Name;Last Name;Email;Accepts Email Marketing;Default Address Company;"
        "Default Address Address1;Default Address Address2;Default Address City;"
        "Default Address Province Code;Default Address Country Code;Default Address Zip;"
        "Default Address Phone;Phone;Total Spent;Tags;Note",
        ("", NAME, NAME, EMAIL, "", FIRM, *[ADDRESS] * 6, PHONE, PHONE, "", "cst_tag_id",
         "cstnotes"),
    ),
    "Stripe customers": (
        "contacts",
        "Name;Email;Created (UTC);Delinquent;Card Last4;Card Address Line1;Card Address City;"
        "Card Address State;Card Address Country;Card Address Zip",
        (NAME, EMAIL, "", "", "", *[ADDRESS] * 5),
    ),
    "QuickBooks sales": (
        "invoices",
        "Date;Transaction type;Num;Name;Product/Service;Qty;Sales Price;Amount;Balance",
        ("transaction_date", "", "transaction_number", "customer_id", "line:item_name",
         "line:quantity", "line:price", "file:total", "file:balance"),
        "11/13/2026;Invoice;1001;Umbra Ltd;Consulting hour;2;95;190;190",
    ),
    "Shopify orders": (
        "invoices",
        "Name;Currency;Subtotal;Shipping;Taxes;Total;Discount Amount;Created at;"
        "Lineitem quantity;Lineitem name;Lineitem price;Lineitem sku;Billing Name",
        ("transaction_number", "org_currency_id", "file:subtotal", "file:charge",
         "file:tax_amount", "file:total", "line:discount", "transaction_date", "line:quantity",
         "line:item_name", "line:price", "line:item_id", "customer_id"),
        "#1001;EUR;100;5;0;105;0;2026-11-03;2;Consulting hour;50;;Umbra Ltd",
    ),
    "Xero invoices without items": (
        "invoices",
        "*ContactName;*InvoiceNumber;*InvoiceDate;InventoryItemCode;*Description;*Quantity;"
        "*UnitAmount;*AccountCode;*TaxType;TaxAmount",
        ("customer_id", "transaction_number", "transaction_date", "line:item_id",
         "line:item_name", "line:quantity", "line:price", "", "line:tax_id", "file:tax_amount"),
        "Umbra Ltd;X1;2026-11-03;;Consulting hour;2;50;200;No VAT;0",
    ),
    "lexoffice": (
        "invoices",
        "Rechnungsnummer;Kundenname;Artikel;Menge;Einzelpreis netto;Steuersatz;Gesamt netto;"
        "Gesamt brutto",
        ("transaction_number", "customer_id", "line:item_name", "line:quantity", "line:price",
         "line:tax_rate", "file:subtotal", "file:total"),
    ),
    "Fakturownia": (
        "invoices",
        "Numer faktury;Kontrahent;Nazwa towaru;Ilość;Cena netto;Stawka VAT;Wartość netto;"
        "Kwota VAT;Wartość brutto",
        ("transaction_number", "customer_id", "line:item_name", "line:quantity", "line:price",
         "line:tax_rate", "file:subtotal", "file:tax_amount", "file:total"),
    ),
    "Stripe invoices": (
        "invoices",
        "Number;Customer;Customer Name;Date (UTC);Due Date (UTC);Currency;Subtotal;Tax;Total",
        ("transaction_number", "", "customer_id", "transaction_date", "due_date",
         "org_currency_id", "file:subtotal", "line:tax_id", "file:total"),
        "A1-0001;cus_9s6XKzkNRiz8i3;Umbra Ltd;2026-11-28;2026-12-28;eur;95.00;19.00;114.00",
    ),
}  # fmt: skip


def guessed(resource, head, *rows):
    width = head.count(";") + 1
    values = ";".join(f"v{index}" for index in range(width))
    table = read_table("\n".join([head, *(rows or [values])]))
    declared = RESOURCES[resource]
    fields = guessing.guess_fields(table, targets.targets_of(declared, ""))
    return [fields[str(index)] for index in range(width)]


@pytest.mark.django_db
@pytest.mark.parametrize("case", [*OFFICES.items(), *EXPORTS.items()], ids=lambda case: case[0])
def test_the_heads_of_offices_and_exports_map_by_themselves(case):
    resource, head, wanted, *rows = case[1]
    title = RESOURCES[resource].title_field
    assert guessed(resource, head, *rows) == [
        title if one == "transaction_number" else one for one in wanted
    ]


@pytest.mark.parametrize("name", headings.CONTENTS)
def test_every_field_has_words_in_every_language(name):
    resource = RESOURCES[name]
    fields = {*targets.targets_of(resource, "")} - TICKS - OTHERS
    for field in fields:
        is_number, wanted = field == resource.title_field, field.rpartition(":")[2]
        content = {LINE: headings.LINES, CLAIM: headings.CLAIMS}.get(field.removesuffix(wanted))
        contents = (content,) if content else headings.CONTENTS[name]
        wanted = "number" if is_number and contents == ("documents",) else wanted
        found = [headings.TABLES[content].get(wanted, {}) for content in contents]
        assert any(set(headings.LANGUAGES) <= {*words} for words in found), field


def test_a_word_stands_once_among_the_fields_of_a_record():
    both = {"due_date", "expiry_date"}  # of invoices alone, and of estimates alone
    others = headings.LINES, headings.CLAIMS, headings.CHOICES
    for contents in {*headings.CONTENTS.values(), *((each,) for each in others)}:
        seen: dict[str, str] = {}
        for content in contents:
            for word, name in headings.names_by_word(content).items():
                assert seen.setdefault(word, name) == name or {seen[word], name} == both, word


@pytest.mark.django_db
@pytest.mark.parametrize("head", ["Company", "Firma", "Société", "Ragione sociale", "Bedrijf"])
def test_a_file_with_businesses_and_no_people_names_businesses(head):
    text = f"{head};E-Mail\nMöbel Weber;info@weber.example\n"
    assert guessed("contacts", f"{head};E-Mail") == [NAME, EMAIL]
    fields = {"0": NAME, "1": EMAIL}
    assert guessing.names_businesses(
        read_table(text), fields, targets.targets_of(RESOURCES["contacts"], "")
    )
    assert guessed("contacts", f"{head};Name") == [FIRM, NAME]


@pytest.mark.django_db
def test_of_two_columns_of_an_export_the_one_with_values_is_taken():
    rows = ("Ann;;+49 30 1234567;ann@x.example",)
    head = "Name;Business Phone;Mobile Phone;Email"
    assert guessed("contacts", head, *rows) == [NAME, "", PHONE, EMAIL]


def test_a_row_without_a_person_is_the_business_itself(desk):
    url = upload(desk, "Name;Company;Email\n;Zebra GmbH;info@zebra.example\n")
    page = desk.get(url)
    assert counts(page) == {"ready": 1}
    [record] = page.context["records"].values()
    assert (record.body["cstname"], record.body["contact_type"]) == ("Zebra GmbH", 2)
    assert "it is the business itself" in page.content.decode()


def test_words_of_choices_are_read_in_the_languages_of_offices(desk):
    text = "Name;Art\nZebra;Firma\nYara;Privatperson\nXaver;osoba fizyczna\n"
    page = desk.get(upload(desk, text.replace("Art", "Typ")))
    types = [one.body["contact_type"] for one in page.context["records"].values()]
    assert types == [2, 1, 1]


MARKS_AROUND = ("{}", "*{}", " {} ", "{}:", "{}?")


def heads_of(name):
    """Every heading of a kind of record, in all languages and as the page labels it, with the
    fields that it may mean.
    """
    resource = RESOURCES[name]
    means: dict[str, set[str]] = {}
    for target in targets.targets_of(resource, "").values():
        for word in (target.name, target.label, *target.aliases):
            means.setdefault(headings.normalise(word), set()).add(target.name)
    return means


@pytest.mark.django_db
@pytest.mark.parametrize("name", headings.CONTENTS)
@given(st.data())
def test_no_column_of_any_language_is_dropped_unsaid_by_the_guess(name, data):
    resource, means = RESOURCES[name], heads_of(name)
    words = data.draw(
        st.lists(st.sampled_from(sorted(means)), min_size=1, max_size=14, unique=True)
    )
    titles = [data.draw(st.sampled_from(MARKS_AROUND)).format(word.upper()) for word in words]
    values = [f"value{index}" for index in range(len(words))]
    table = read_table("\n".join("\t".join(row) for row in (titles, values, values)))
    known = targets.targets_of(resource, "")
    fields = guessing.guess_fields(table, known)
    places = targets.columns_of(known, fields, len(words))
    used = {index for indexes in places.values() for index in indexes}
    assert used == {int(index) for index, target in fields.items() if target}, "as the page counts"
    for index, word in enumerate(words):
        taken = {target for target in means[word] if target in places}
        if index in used:
            assert fields[str(index)] in means[word] or (
                {fields[str(index)], *means[word]} <= {NAME, *BUSINESSES}
                or {fields[str(index)], *means[word]} <= {DESCRIPTION, ITEM_NAME}
                or {fields[str(index)], *means[word]} <= {DISCOUNT, OVERALL_DISCOUNT}
                or {fields[str(index)], *means[word]} <= {FILE_TOTAL, LINE_TOTAL, SUBTOTAL}
                # Beside another column of items it is the document's.
                or (word == "name" and fields[str(index)] in (next(iter(known)), "customer_id"))
            ), "a column never goes to a field that its heading does not mean"
        else:  # a second one of a field that takes one
            assert taken or (NAME in places and means[word] & {*BUSINESSES}), (
                f"{word} is left out without another in its place"
            )


@pytest.mark.django_db
def test_columns_of_days_ids_and_addresses_are_known_by_their_cells_where_no_heading_says_more():
    rows = "Roof;Acme;28-Nov-26;#17;New", "Door;Acme;5 Dec 26;#18;New"
    assert guessed("deals", "Deal;Company;;;Pipeline", *rows) == [
        "deal_name", "cstid", "deal_expected_close_date", "id", "pipeline_id"
    ]  # fmt: skip
    assert guessed("contacts", "Name;;Email", "Mara;m@x.example;o@x.example") == [NAME, "", EMAIL]
