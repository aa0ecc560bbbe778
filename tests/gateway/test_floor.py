"""The gateway works in a script."""

from tests.processes import python

from .conftest import KEYS
from .servers import RawServer, says

SCRIPT = """
from dashboard.gateway import CONTACTS, Gateway, Keys, Service
gateway = Gateway(Service("{url}"), Keys(access="{access}", secret="s3cret"))
for contact in gateway.list(CONTACTS, search="acme").records:
    print(contact.id, contact["cstname"])
import sys; assert "django" not in sys.modules
"""


def test_a_script_of_five_lines_lists_contacts_without_django() -> None:
    rows = [{"cstid": 1, "cstname": "Acme"}]
    with RawServer(says(200, {"success": True, "data": {"data": rows}})) as server:
        script = SCRIPT.format(url=server.url, access=KEYS.last4)
        done = python("-c", script)
    assert (done.stdout, done.stderr) == ("1 Acme\n", "")
