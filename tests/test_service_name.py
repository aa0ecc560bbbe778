"""Pages and messages call the service behind the API by the name in SERVICE_NAME."""

import pytest

from tests.processes import python

RENDER = """
import django, os
os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
django.setup()
from django.template.loader import get_template
from dashboard.gateway.errors import KeysRefused
from dashboard.reader.failures import describe
print(describe(KeysRefused("no")).title)
print(get_template("people/_keys_rejected.html").render({}))
"""


def rendered(name: str) -> str:
    """A message and a notice as a process says them whose environment sets the name."""
    done = python("-c", RENDER, SERVICE_NAME=name)
    assert not done.returncode, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "said"), [("Acme CRM", "Acme CRM"), ("", "The CRM"), ("our CRM", "Our CRM")]
)
def test_messages_and_pages_name_the_service_by_the_setting(name, said):
    page = rendered(name)
    assert f"{said} rejected your API keys" in page
