"""Changes one expression or statement after the other, and lists the changes no test notices.

    python -m tests.assurance.mutants --sample 200 --seed 1
    python -m tests.assurance.mutants --only dashboard/writes/ dashboard/core/sealed.py --sample 150

Each mutant is one change in a copy of the repository: another comparison, `and` for `or`, a `not`
less, another constant, a call that is not made, None returned. A test of that file (TESTS) has to
fail then. A change that changes nothing, such as another word of a log, survives rightly.
"""

import argparse
import ast
import os
import random
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from tests.copies import ROOT, Copy, run_tests

LONGEST = 300  # seconds of the tests of one mutant
AT_ONCE = os.cpu_count() or 1  # mutants, each in a copy of its own
# The everyday tests that judge a file, or each file of a room, run up to the first failure.
TESTS = {
    "dashboard/writes/": ["tests/writes", "tests/outcomes", "tests/records/test_deleting.py",
                          "tests/jobs/test_not_sure.py"],
    "dashboard/core/sealed.py": ["tests/test_sealed.py", "tests/test_sealed_rows.py",
                                 "tests/people/test_rotate_keys.py"],
    "dashboard/gateway/protocol.py": ["tests/gateway/test_protocol.py", "tests/gateway"],
    "dashboard/documents/totals.py": ["tests/documents/test_totals.py"],
    "dashboard/jobs/leases.py": ["tests/jobs/test_slices.py", "tests/jobs"],
    "dashboard/jobs/rows.py": ["tests/jobs/test_slices.py", "tests/jobs"],
    "dashboard/jobs/slices.py": ["tests/jobs/test_slices.py", "tests/jobs"],
}  # fmt: skip
OTHER: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE,
    ast.GtE: ast.Gt, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip


def mutants(text: str) -> Iterator[tuple[str, str]]:
    """Each change as the number of its line with what stands there then, and the whole text."""
    before = ast.unparse(ast.parse(text)).splitlines()
    for place, node in enumerate(ast.walk(ast.parse(text))):
        tree = ast.parse(text)
        if _change(list(ast.walk(tree))[place]):
            after = ast.unparse(tree)
            lines = zip(after.splitlines(), before, strict=False)
            line = next((new for new, old in lines if new != old), "")
            yield f"{getattr(node, 'lineno', 0)}: {line.strip()}", after


def _change(node: ast.AST) -> bool:
    """Change a node in its tree; whether there was anything to change."""
    match node:
        case ast.Compare(ops=[first, *rest]) if type(first) in OTHER:
            node.ops = [OTHER[type(first)](), *rest]
        case ast.BoolOp(op=op):
            node.op = ast.Or() if isinstance(op, ast.And) else ast.And()
        case ast.UnaryOp(op=ast.Not()):
            node.operand = ast.UnaryOp(ast.Not(), node.operand)
        case ast.Constant(value=bool(value)):
            node.value = not value
        case ast.Constant(value=int(value)):
            node.value = value + 1
        case ast.Expr(value=ast.Call()):
            node.value = ast.Constant(None)
        case ast.Return(value=value) if value and not isinstance(value, ast.Constant):
            node.value = ast.Constant(None)
        case _:
            return False
    return True


def files_of(name: str) -> list[str]:
    paths = (ROOT / name).glob("*.py") if name.endswith("/") else [ROOT / name]
    return sorted(str(path.relative_to(ROOT)) for path in paths)


def is_noticed(folder: Path, name: str, text: str) -> bool:
    """Whether a test of the file fails with this text in place of its own."""
    tests = next(tests for key, tests in TESTS.items() if name.startswith(key))
    own = f"tests/{Path(name).parent.name}/test_{Path(name).name}"
    tests = [own, *tests] if (folder / own).exists() else tests
    path = folder / name
    before = path.read_text(encoding="utf-8")
    path.write_text(text, encoding="utf-8")
    try:
        done = run_tests(folder, "-x", "-m", "not slow", *tests, seconds=LONGEST)
    except subprocess.TimeoutExpired:
        return True
    finally:
        path.write_text(before, encoding="utf-8")
    return done.returncode != 0


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sample", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=TESTS, nargs="+", default=list(TESTS))
    chosen = parser.parse_args()
    changes = [
        (name, *change)
        for key in chosen.only
        for name in files_of(key)
        for change in mutants((ROOT / name).read_text())
    ]
    tried = random.Random(chosen.seed).sample(changes, min(chosen.sample, len(changes)))
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(AT_ONCE) as pool:
        free: SimpleQueue[Path] = SimpleQueue()
        for number in range(AT_ONCE):
            free.put(Copy(Path(folder) / str(number)).folder)

        def judge(name: str, line: str, text: str) -> bool:
            copy = free.get()
            noticed = is_noticed(copy, name, text)
            free.put(copy)
            if not noticed:
                print(f"not noticed: {name}:{line}", flush=True)
            return noticed

        noticed = sum(pool.map(judge, *zip(*sorted(tried), strict=True)))
    print(f"{noticed} of {len(tried)} noticed")


if __name__ == "__main__":
    main()
