"""Form fields of references: a choice by name or a typed number."""

import pytest
from django import forms
from django.http import QueryDict

from dashboard.office.editing import entries_of, retire, save_entries
from dashboard.office.kinds import Kind
from dashboard.office.observed_references import SeenReference, record_references
from dashboard.office.reference_fields import ReferenceField, ReferencesField, SuggestField
from dashboard.people.context import RequestContext
from tests.page import inspect

pytestmark = pytest.mark.django_db


def rows(*names, first=1):
    return [{"code": str(number), "name": name} for number, name in enumerate(names, first)]


class Form(forms.Form):
    country = ReferenceField(kind=Kind.COUNTRY, label="Country", required=False)
    tags = ReferencesField(kind=Kind.CONTACT_TAG, label="Tags", required=False)
    tax = ReferenceField(kind=Kind.TAX, label="Tax", required=False)
    source = SuggestField(kind=Kind.DEAL_SOURCE, label="Source", required=False)


def form(
    sent: str | None = None,
    *,
    workspace="Acme",
    **initial,
) -> Form:
    made = Form(None if sent is None else QueryDict(sent), initial=initial)
    for field in made.fields.values():
        field.bind(RequestContext(gateway=None, workspace=workspace))
    return made


def cleaned(sent: str, name: str):
    made = form(sent)
    assert made.is_valid(), made.errors
    return made.cleaned_data[name]


@pytest.fixture
def few():
    save_entries("Acme", Kind.COUNTRY, rows("France", "Spain"))
    save_entries("Acme", Kind.CONTACT_TAG, rows("VIP", "Late, very late", "Net 30"))
    save_entries(
        "Acme", Kind.TAX, [{"code": "61", "name": "VAT"}, {"code": "tx_9", "name": "Reduced"}]
    )


@pytest.fixture
def many():
    save_entries("Acme", Kind.COUNTRY, rows(*(f"Country {n}" for n in range(1, 40)), first=100))
    save_entries("Acme", Kind.CONTACT_TAG, rows(*(f"Tag {n}" for n in range(1, 40)), first=100))


def test_an_empty_list_is_a_number_field_with_an_explanation():
    html = str(form())
    assert "<select" not in html
    assert "Countries have no names yet: enter the CRM&#39;s own number, which" in html
    assert cleaned("country=17&tags-more=4, 9", "country") == 17
    assert cleaned("country=17&tags-more=4 9", "tags") == [4, 9]
    assert form("country=Spain").errors["country"] == [
        "“Spain” isn't valid. Enter a whole number, for example 17."
    ]


def test_a_short_list_is_a_select_with_an_input_for_other_numbers(few):
    html = str(form(country=2))
    assert inspect(html) == []
    assert '<option value="2" selected>Spain</option>' in html
    assert cleaned("country=2", "country") == 2
    assert cleaned("country=other&country-number=17", "country") == 17
    assert cleaned("country=other&country-number=france", "country") == 1
    assert cleaned("country=other&country-number=", "country") is None


def test_an_unnamed_id_is_shown_and_sent_unchanged(few):
    html = str(form(country=17))
    assert '<option value="17" selected>#17 (not named yet)</option>' in html
    assert cleaned("country=17", "country") == 17


def test_an_unknown_entry_is_refused_and_stays_in_the_field(few):
    made = form("country=other&country-number=Atlantis")
    assert "No country matches “Atlantis”." in made.errors["country"][0]
    assert 'value="Atlantis"' in str(made)


def test_a_long_list_is_a_text_field_with_suggestions(many):
    html = str(form(country=101))
    assert inspect(html) == []
    assert 'value="Country 2" list="id_country_offered"' in html
    assert cleaned("country=country 3", "country") == 102
    assert cleaned("country=%2317 (not named yet)", "country") == 17
    assert cleaned("country=17", "country") == 17


def test_a_list_that_no_page_holds_is_searched_while_somebody_types(desk):
    names = [f"Tag {number}" for number in range(1, 302)]
    for kind in (Kind.COUNTRY, Kind.CONTACT_TAG):
        save_entries("Acme", kind, rows(*names, "Early tag", "Tag", first=100))
    html = str(form(country=101, tags="103"))
    assert inspect(html) == []
    assert "<option" not in html
    assert 'value="Tag 2"' in html
    assert html.count('type="checkbox"') == 1
    assert cleaned("country=tag 300&tags-more=Tag 5", "country") == 399

    def found(text):
        return desk.get("/settings/lists/countries/search/", {"q": text}).context["completions"]

    assert found(" tAG")[:2] == ["Tag", "Tag 1"]
    assert len(found("tag")) == 20
    assert found("early") == ["Early tag"]
    assert found("401") == ["Early tag"]
    assert found("") == found("nothing") == []


def test_equal_names_are_shown_with_their_number():
    save_entries("Acme", Kind.COUNTRY, [*rows("Congo", "Congo", "Chad")])
    html = str(form())
    assert "Congo #1" in html
    assert ">Chad<" in html
    assert cleaned("country=other&country-number=Congo %232", "country") == 2
    assert form("country=other&country-number=Congo").errors


@pytest.mark.parametrize("others", [1, 40])  # a select, and a text
def test_an_untouched_entry_stays_though_its_number_is_the_name_of_another(others):
    more = [f"Country {each}" for each in range(others)]
    save_entries("Acme", Kind.COUNTRY, [*rows("France", "1", *more)])
    field = form().fields["country"]
    [(control, [posted])] = field.posted("country", "1")
    assert cleaned(f"{control}={posted}", "country") == 1


def test_a_retired_entry_is_offered_only_where_it_is_selected(few):
    retire("Acme", entries_of("Acme", Kind.COUNTRY).get(code="1"))
    assert "France" not in str(form())
    assert '<option value="1" selected>France (retired)</option>' in str(form(country=1))
    assert cleaned("country=1", "country") == 1


def test_a_tax_may_have_no_number(few):
    assert cleaned("tax=61", "tax") == "61"
    assert cleaned("tax=tx_9", "tax") == "tx_9"
    assert cleaned("tax=other&tax-number=%23tx_1", "tax") == "tx_1"
    assert cleaned("tax=tx_1", "tax") == "tx_1"
    assert form("tax=other&tax-number=nothing").errors


def test_several_entries_are_ticked_or_typed_by_name_or_number(few):
    assert inspect(str(form(tags="3, 17"))) == []
    assert cleaned("tags=3&tags=17&tags-more=late, very late; vip, 4", "tags") == [3, 17, 2, 1, 4]


def test_a_long_list_shows_the_selected_entries_as_ticked(many):
    html = str(form(tags="101, 7"))
    assert inspect(html) == []
    assert html.count('type="checkbox"') == 2
    assert "#7 (not named yet)" in html
    assert cleaned("tags=101&tags-more=Tag 5", "tags") == [101, 104]


def test_an_unknown_tag_is_refused_and_all_tags_stay_in_the_field(few):
    made = form("tags=3&tags-more=vip, nonsense")
    assert "No contact tag matches “nonsense”" in made.errors["tags"][0]
    html = str(made)
    assert html.count(" checked") == 2
    assert 'value="nonsense"' in html


def test_stored_words_are_suggested():
    record_references(
        "Acme",
        [SeenReference("deal_source", text, "/deals/1/", "Deal 1") for text in ("Fair", " fair ")],
    )
    html = str(form())
    assert html.count("<option") == 1
    assert '<option value="Fair">' in html
    assert cleaned("source=Something new", "source") == "Something new"
