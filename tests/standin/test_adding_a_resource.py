"""A new resource is one module and one line in a list, done to a copy of the stand-in."""

import filecmp
import importlib
import shutil
from pathlib import Path

import pytest

import dashboard.standin

from .conftest import TODAY, Caller

PACKAGE = Path(dashboard.standin.__file__).parent
MODULE = '''
"""Products: things to sell."""

from ..schema import Field, Filter, Record, Resource, Seed
from ..seed_workspace import SeedWorkspace


def sample(workspace: SeedWorkspace, index: int, count: int) -> Record:
    """Every second product is active."""
    return {"product_name": f"Product {index + 1}", "active": index % 2}


PRODUCTS = Resource(
    name="products",
    singular="product",
    id_field="product_id",
    label="product_name",
    operations=("list", "get", "create", "update", "delete"),
    first_id=90001,
    created_fields=("product_id", "product_name"),
    search=("product_name",),
    filters=(Filter("active", "integer", "active", choices=(0, 1)),),
    fields=(
        Field("product_id", "integer", "list"),
        Field("product_name", "string", "list create! update", limit=40),
        Field("active", "integer", "list create update", choices=(0, 1), default=1),
    ),
    seed=Seed(sample, demo=50, small=12),
)
'''


@pytest.fixture
def copy(tmp_path, monkeypatch) -> Path:
    """The stand-in as a package named `service`, with one more resource."""
    copy = tmp_path / "service"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "resources" / "products.py").write_text(MODULE, encoding="utf-8")
    listed = copy / "resources" / "__init__.py"
    text = listed.read_text(encoding="utf-8")
    text = text.replace("    INVOICES,\n", "    INVOICES,\n    PRODUCTS,\n")
    text = text.replace("from .tasks", "from .products import PRODUCTS\nfrom .tasks")
    listed.write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return copy


def changed_files(copy: Path) -> set[str]:
    names = [str(file.relative_to(copy)) for file in copy.rglob("*.py")]
    _, different, missing = filecmp.cmpfiles(PACKAGE, copy, names, shallow=False)
    return {*different, *missing}


def test_a_new_resource_is_one_module_and_its_place_in_the_list(copy):
    assert changed_files(copy) == {"resources/__init__.py", "resources/products.py"}
    service = importlib.import_module("service")
    with service.StandIn("terse", size="small", seed=1, today=TODAY) as standin:
        call = Caller(standin)
        page = call("GET", "/v1/products?active=1&search=product&sortBy=product_name").json
        assert page["data"]["total_records"] == 6
        made = call("POST", "/v1/products", {"product_name": "New"})
        number = made.json["data"]["product_id"]
        url = f"/v1/products/{number}"
        assert call("POST", "/v1/products", {"product_name": "x" * 41}).status == 422
        assert call("PUT", url, {"product_name": "Newer"}).status == 200
        record = {"product_id": number, "product_name": "Newer", "active": 1}
        assert call("GET", url).json["data"] == record
        assert call("DELETE", url).status == 200
        assert Caller(standin, "solo")("GET", "/v1/products").status == 403
    with dashboard.standin.StandIn("terse", size="small", seed=1, today=TODAY) as standin:
        before = Caller(standin)("GET", "/v1/invoices?pageSize=100").json
    with service.StandIn("terse", size="small", seed=1, today=TODAY) as standin:
        assert Caller(standin)("GET", "/v1/invoices?pageSize=100").json == before
