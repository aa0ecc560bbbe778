"""Pages and messages call the service behind the API by the name in SERVICE_NAME."""

import ast
import os
import re
import subprocess
import sys

import pytest
from django.conf import settings

from tests.sources import PACKAGE, ROOT, modules, nodes

TEMPLATES = ROOT / "templates"
UNNAMED = re.compile(r"\bthe service\b", re.IGNORECASE)
FOR_DEVELOPERS = {"checks.py", "filters.py", "management", "standin"}  # checks, commands
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
    environment = {**os.environ, "SERVICE_NAME": name}
    done = subprocess.run(
        [sys.executable, "-c", RENDER], cwd=settings.BASE_DIR, env=environment,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert not done.returncode, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "said"), [("Acme CRM", "Acme CRM"), ("", "The CRM"), ("our CRM", "Our CRM")]
)
def test_messages_and_pages_name_the_service_by_the_setting(name, said):
    page = rendered(name)
    assert f"{said} refused your API keys" in page
    assert f"{said} refuses your API keys" in page


def texts_of(path) -> list[str]:
    """The string literals of a module without its docstrings and the texts that stand alone."""
    alone = {
        node.value
        for node in nodes(path)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    return [
        node.value
        for node in nodes(path)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in alone
    ]


def test_no_message_calls_it_the_service():
    found = [
        f"{path.relative_to(PACKAGE)}: {text}"
        for path in modules().values()
        if not FOR_DEVELOPERS & set(path.relative_to(PACKAGE).parts)
        for text in texts_of(path)
        if UNNAMED.search(text)
    ]
    assert found == []


def test_no_template_calls_it_the_service():
    found = [
        str(path.relative_to(TEMPLATES))
        for path in TEMPLATES.rglob("*")
        if path.is_file()
        and UNNAMED.search(re.sub(r"\{#.*?#\}", "", path.read_text(encoding="utf-8"), flags=re.S))
    ]
    assert found == []
