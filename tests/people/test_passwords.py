"""Which passwords are accepted: the rules of ASVS 5.0, 6.2."""

import pytest
from django.contrib.auth.password_validation import (
    validate_password,
)
from django.core.exceptions import ValidationError

from dashboard.people.models import User
from tests.workspaces import connect

VERA = User(username="vera", first_name="Vera", last_name="Novakova", email="vera@acorn.test")


@pytest.mark.parametrize(
    "password",
    [
        "correct horse battery",
        "yellow tractors",
        "48151623429917",  # numbers alone
        "a" * 6 + "b" * 58,  # 64 characters
        "long " * 40,
        "пароль из кириллицы",
        "🐘 walks on the bridge",
        "desk lamps glow in winter",  # has a word of ours, and enough beside it
    ],
)
def test_a_long_password_needs_nothing_else(password):
    validate_password(password, VERA)


@pytest.mark.parametrize(
    ("password", "code"),
    [
        ("eleven char", "password_too_short"),
        ("qwertyuiop12", "password_too_common"),
        ("EntryDesk2026!", "own_words"),
        ("Entry-Desk-1234", "own_words"),
        ("3ntryD3sk 2026", "own_words"),
        ("password99999", "own_words"),
        ("Novakova!2026", "own_words"),
        ("vera.acorn.test", "password_too_similar"),
        ("Welcome Acorn 26", "own_words"),
        ("Branksome-2026", "own_words"),
        ("OakHill-Desk-26", "own_words"),
    ],
)
def test_what_anybody_would_try_first_is_refused(password, code, settings):
    settings.SERVICE_NAME, settings.SITE_URL = "Branksome CRM", "https://desk.oak-hill.test"
    with pytest.raises(ValidationError) as refused:
        validate_password(password, VERA)
    assert code in {error.code for error in refused.value.error_list}


def test_the_name_of_the_own_workspace_is_refused(viewer):
    connect(viewer, access="ak", secret="sk", workspace="Meadowbrook")
    with pytest.raises(ValidationError, match="easy to guess"):
        validate_password("Meadowbrook2026", viewer)
    validate_password("Meadowbrook2026", VERA)
