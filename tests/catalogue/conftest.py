"""An administrator of the workspace Acme, in whose name no service is called."""

import pytest
from django.test import Client

from dashboard.accounts.models import User
from dashboard.credentials.services import connect


@pytest.fixture
def keeper(administrator: User, client_of) -> Client:
    connect(administrator, access="ak", secret="sk", workspace="Acme")
    return client_of(administrator)
