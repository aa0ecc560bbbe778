"""The conventions of the repository."""

import ast
import re
import subprocess
from pathlib import Path

import pytest
from django.apps import apps

from dashboard.schema.registry import RESOURCES
from tests.sources import PACKAGE, ROOT, imports, modules, nodes

TOP_LEVEL = {
    "manage.py",
    "setup.py",
    "pyproject.toml",
    "README.md",
    "dashboard",
    "docs",
    "templates",
    "static",
    "tests",
    "bench",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "SECURITY.md",
    "requirements.txt",
    "requirements-all.txt",
    "requirements-dev.txt",
}


def tracked() -> list[Path]:
    """The files of the repository: what git tracks, or all that is not ignored by convention."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()]


def modules_of(name: str) -> list[Path]:
    if (PACKAGE / name).is_file():
        return [PACKAGE / name]
    return [path for path in (PACKAGE / name).rglob("*.py") if "migrations" not in path.parts]


@pytest.mark.parametrize(
    "name", ["lists", "outcomes", "people/context.py", "records", "schema", "writes"]
)
def test_what_all_resources_share_names_none(name):
    names = "|".join({name for each in RESOURCES.values() for name in (each.name, each.singular)})
    of_worker = "(?<!@task)(?<!django_tasks import task)"  # what runs in a worker, not a record
    words = re.compile(rf"\b({names})\b{of_worker}", re.IGNORECASE)
    wrong = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in modules_of(name)
        if path.name != "menu.py"  # names the pages of all rooms
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if words.search(line.partition("#")[0]) and not line.lstrip().startswith(('"""', "#"))
    ]
    assert not wrong


@pytest.mark.parametrize("name", ["gateway", "tables", "text"])
def test_a_room_of_the_first_floor_is_free_of_django(name):
    inside = f"dashboard.{name}"
    for module, found in imports().items():
        if module == inside or module.startswith(f"{inside}."):
            assert "django" not in {target.partition(".")[0] for target in found}, module


def test_only_the_client_and_the_transport_of_the_gateway_import_an_http_client():
    libraries = {"httpx", "httpcore", "requests", "urllib3"}
    importers = {
        module
        for module, found in imports().items()
        if libraries & {target.partition(".")[0] for target in found}
    }
    assert importers == {"dashboard.gateway.client", "dashboard.gateway.transport"}


def test_functions_stay_small():
    """A file holds one concept, so it is not cut to fit a number."""
    long = []
    for path in modules().values():
        for node in nodes(path):
            if isinstance(node, ast.FunctionDef):
                lines = (node.end_lineno or 0) - node.lineno + 1
                if lines > 50:
                    long.append(f"{path.relative_to(ROOT)}:{node.name}: {lines} lines")
    assert not long


NEW_OR_PASSED_ON = {
    "people/models.py:save": "passes on what it is given",
    "writes/models.py:save": "raises for an event that is stored already",
    "writes/history.py:add": "adds an event; one that is stored raises",
    "people/key_views.py:_save": "a form of ours, which stores the pair by update_or_create",
    "administration/staff_views.py:_save": "StaffForm.save, which names the columns",
    "administration/invitations.py:invite_all": "StaffForm.save of a new account",
}
"""By file and function: why a row that is there already is not saved, or only in parts."""


def test_a_stored_row_is_never_saved_with_columns_that_another_request_may_have_changed():
    whole = set()
    for path in modules().values():
        for function in nodes(path):
            if isinstance(function, ast.FunctionDef) and any(map(saves_a_row, ast.walk(function))):
                whole.add(f"{path.relative_to(PACKAGE)}:{function.name}")
    assert whole == set(NEW_OR_PASSED_ON), "name the columns by update_fields"


def saves_a_row(node: ast.AST) -> bool:
    """Whether it is a call of `save` that says neither which columns nor that the row is new."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    given = {keyword.arg: keyword.value for keyword in node.keywords}
    commit = given.get("commit")
    keeps = isinstance(commit, ast.Constant) and commit.value is False
    return (
        node.func.attr == "save" and not keeps and not {"update_fields", "force_insert"} & {*given}
    )


def test_only_two_statements_are_written_as_text_and_no_name_of_a_table_is():
    tables = "|".join(
        model._meta.db_table
        for model in apps.get_models()
        if model.__module__.startswith("dashboard.")
    )
    names, raw = re.compile(rf"\b({tables})\b"), re.compile(r"\.(raw|execute)\(")
    of_no_table = {"administration/backups.py", "administration/health.py", "standin/store.py"}
    texts = {
        path.relative_to(PACKAGE).as_posix(): path.read_text("utf-8")
        for path in modules().values()
        if "migrations" not in path.parts
    }
    assert not [name for name, text in texts.items() if names.search(text)]
    found = {name for name, text in texts.items() if raw.search(text)} - of_no_table
    assert found == {"people/backend.py", "writes/sidebar.py"}


def test_the_top_level_has_only_the_usual_files():
    tops = {path.relative_to(ROOT).parts[0] for path in tracked()}
    assert {top for top in tops if not top.startswith(".")} <= TOP_LEVEL


def test_lock_files_have_hashes_and_no_addresses():
    for name in ("requirements.txt", "requirements-all.txt", "requirements-dev.txt"):
        lock = (ROOT / name).read_text(encoding="utf-8")
        assert not re.search(r"https?://|file:|^-|(^|\s)/", lock, re.MULTILINE), name
        assert lock.count("==") <= lock.count("--hash=sha256:"), name


def test_no_file_contains_the_path_of_the_repository():
    parent = f"{ROOT.parent}/".encode()
    assert not [path for path in tracked() if parent != b"//" and parent in path.read_bytes()]


def test_the_example_environment_names_every_setting():
    settings = (PACKAGE / "settings.py").read_text(encoding="utf-8")
    read = set(re.findall(r'env\.\w+\(\s*"([A-Z_]+)"', settings))
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    assert read == set(re.findall(r"^#?([A-Z_]+)=", example, re.MULTILINE))


def test_templates_have_no_inline_script_style_or_unescaped_value():
    wrong = re.compile(
        r"<script(?![^>]*(?:\bsrc=|importmap))|\bstyle=|\bon[a-z]+=\"|hx-on|\|\s*safe\b"
    )
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in (ROOT / "templates").rglob("*.html")
        for match in wrong.finditer(path.read_text(encoding="utf-8"))
    ]
    assert not found


def test_comments_of_templates_name_files_that_exist():
    files = [
        path for part in ("dashboard", "static", "templates") for path in (ROOT / part).rglob("*")
    ]
    names = [f"/{path.relative_to(ROOT)}" for path in files]
    missing = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in (ROOT / "templates").rglob("*.html")
        for comment in re.findall(r"\{#.*?#\}", path.read_text(encoding="utf-8"), re.DOTALL)
        for name in re.findall(r"[\w/.-]*\w\.(?:html|py|js|css)\b", comment)
        if not any(each.endswith(f"/{name}") for each in names)
    ]
    assert not missing


def test_no_line_of_a_template_is_long():
    long = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in (ROOT / "templates").rglob("*.html")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > 160
    ]
    assert not long


def test_templates_use_filters_for_icons_addresses_and_scripts():
    """Jinja2 computes a filter of constants when it compiles a template, a function each time."""
    called = re.compile(r'(?<![\w."|])(icon|asset|page_url|module|script|style)\(')
    pages = sorted((ROOT / "templates").rglob("*.html"))
    found = [str(path) for path in pages if called.search(path.read_text(encoding="utf-8"))]
    assert not found, "write {{ name|icon }}, {{ name|page_url }}"
