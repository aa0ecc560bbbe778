"""A request that loaded a row before another one changed it keeps what the other has changed."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django import forms
from django.http import HttpResponse

from dashboard.office.editing import entries_of, save_entries
from dashboard.office.kinds import Kind
from dashboard.office.models import SavedView
from dashboard.people.models import User, Workspace
from tests.conftest import PASSWORD
from tests.page_forms import page_forms


@pytest.fixture
def ada(client_of: Any, with_keys: Any, administrator: User) -> Any:
    """An administrator's client, who has just confirmed the password."""
    client = client_of(with_keys(administrator))
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    return client


def fill(client: Any, url: str, **typed: str) -> dict[str, Any]:
    """What the form of a page sends, with `typed` in it."""
    found = page_forms(client.get(url).content.decode(), url)
    form = next(form for form in found if form.action == url and {*typed} & {*form.data()})
    return {**form.data(), **typed}


@pytest.fixture
def post_after(monkeypatch: pytest.MonkeyPatch) -> Callable[..., HttpResponse]:
    """post_after(other, client, url, data): a post whose form is checked after `other` was done."""
    is_valid = forms.BaseForm.is_valid

    def post(other: Callable[[], Any], client: Any, url: str, data: dict[str, Any]) -> Any:
        others = [other]

        def after_the_other(form: forms.BaseForm) -> bool:
            if others:
                others.pop()()
            return is_valid(form)

        with monkeypatch.context() as patched:
            patched.setattr(forms.BaseForm, "is_valid", after_the_other)
            answer = client.post(url, data)
        assert answer.status_code == 302, answer.content.decode()
        assert not others
        return answer

    return post


def test_a_person_who_is_deactivated_stays_so_when_their_preferences_are_saved(
    client_of, editor, post_after
):
    client, url = client_of(editor), "/accounts/"
    data = fill(client, url, number_style=",")
    post_after(lambda: User.objects.filter(pk=editor.pk).update(is_active=False), client, url, data)
    editor.refresh_from_db()
    assert (editor.is_active, editor.number_style) == (False, ",")


def test_a_new_password_stays_when_an_administrator_saves_the_account(ada, editor, post_after):
    def choose_a_password() -> None:
        person = User.objects.get(pk=editor.pk)
        person.set_password("another good one")
        person.save(update_fields=["password"])

    url = f"/staff/{editor.pk}/"
    post_after(choose_a_password, ada, url, fill(ada, url, first_name="Edith"))
    editor.refresh_from_db()
    assert editor.check_password("another good one")
    assert editor.first_name == "Edith"


def test_two_settings_of_an_office_that_are_saved_at_once_are_both_stored(ada, post_after):
    url = "/settings/documents/"
    post_after(partial(ada.post, "/setup/end/"), ada, url, fill(ada, url, due_days="44"))
    workspace = Workspace.objects.get(pk="Acme")
    assert (workspace.due_days, workspace.setup_ended) == (44, True)


def test_a_view_that_is_named_keeps_the_list_that_was_saved_meanwhile(
    desk, manager, standin, post_after
):
    mine = {"user": manager, "workspace": "Acme", "resource": "deals", "name": "Mine"}
    view = SavedView.objects.create(**mine, params="search=old")
    url = f"/deals/views/{view.pk}/"
    save_list = partial(desk.post, url, {"state": "search=new"})
    post_after(save_list, desk, url, fill(desk, url, name="Renamed"))
    view = SavedView.objects.get()
    assert (view.name, view.params) == ("Renamed", "search=new")


def test_an_entry_that_is_retired_meanwhile_stays_so_when_its_name_is_saved(ada, post_after):
    save_entries("Acme", Kind.CONTACT_TAG, [{"code": "41", "name": "VIP"}])
    entry = entries_of("Acme", Kind.CONTACT_TAG).get(code="41")
    url = f"/settings/lists/contact-tags/{entry.pk}/"
    data = fill(ada, url, name="Very important")
    retire = partial(ada.post, "/settings/lists/contact-tags/arrange/", {"retire": entry.pk})
    post_after(retire, ada, url, data)
    entry.refresh_from_db()
    assert (entry.name, entry.retired) == ("Very important", True)
