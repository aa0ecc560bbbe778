"""An administrator of the workspace Acme whose pages call no service."""

import pytest
from django.test import Client

from dashboard.people.models import User
from tests.workspaces import connect


@pytest.fixture
def keeper(administrator: User, client_of) -> Client:
    connect(administrator, access="ak", secret="sk", workspace="Acme")
    return client_of(administrator)
