"""Who is asking: the same person that the ORM knows, in fewer and cheaper queries."""

import pytest
from django.http import HttpRequest, HttpResponse
from django.urls import path

from dashboard.accounts.backends import StaffBackend
from dashboard.accounts.models import User
from dashboard.accounts.permissions import DELETE_RECORDS, VIEW_RECORDS
from dashboard.credentials import services
from dashboard.credentials.models import KeyPair


def test_the_person_and_their_pair_are_what_the_orm_reads(manager):
    services.connect(manager, access="access0123", secret="hidden0123", workspace="Acme Ω")
    known, fetched = User.objects.get(pk=manager.pk), StaffBackend().get_user(manager.pk)
    assert fetched == known
    for model, ours, theirs in (
        (User, fetched, known),
        (KeyPair, fetched.key_pair, known.key_pair),
    ):
        for field in model._meta.concrete_fields:
            assert getattr(ours, field.attname) == getattr(theirs, field.attname), field.name
    assert fetched.key_pair.user is fetched


def test_there_is_nobody_behind_an_unknown_or_deactivated_account(viewer):
    User.objects.filter(pk=viewer.pk).update(is_active=False)
    assert StaffBackend().get_user(viewer.pk) is None
    assert StaffBackend().get_user(0) is None


def page(request: HttpRequest) -> HttpResponse:
    assert request.user.has_perms([VIEW_RECORDS, DELETE_RECORDS])
    assert services.keys_for(request.user).last4 == "0123"
    return HttpResponse(request.user.number_style)


urlpatterns = [path("", page)]


@pytest.mark.urls(__name__)
def test_a_page_learns_person_permissions_and_keys_in_three_queries(
    manager, client_of, django_assert_num_queries
):
    services.connect(manager, access="access0123", secret="hidden0123", workspace="Acme")
    client = client_of(manager)
    with django_assert_num_queries(3):
        assert client.get("/").status_code == 200
