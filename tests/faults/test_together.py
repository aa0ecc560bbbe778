"""A short piece of the proofs that need more than one press, and their oracles shown to bite."""

import argparse
import os

import pytest

from tests.faults import broken, proofs

SHORT = {"resources": ["contacts"], "steps": [], "kinds": [], "posts": 8, "rounds": 12}
pytestmark = pytest.mark.skipif(
    "sqlite" not in os.environ.get("TEST_DATABASE_URL", "sqlite"),
    reason="they bring a database file of their own",
)


def breaches(proof, build="", **narrowed):
    more = {"processes": 1, "profile": "verbose", "broken": build, "seed": "1"}
    [part] = proofs.run(argparse.Namespace(**SHORT | more | narrowed), [proof])
    assert part.cases
    return [words for _, words in part.breaches]


@pytest.mark.parametrize(
    ("proof", "narrowed"),
    [
        ("parallel", {"kinds": ["", "reset-after"]}),
        ("crashes", {"steps": ["create", "update"]}),
        ("interleavings", {"resources": ["contacts", "invoices"]}),
    ],
)
def test_no_promise_is_broken(proof, narrowed):
    assert breaches(proof, **narrowed) == []


BUILDS = [
    (proof, build, narrowed, oracle)
    for proof, builds in broken.ELSEWHERE.items()
    for build, (_, narrowed, oracle) in builds.items()
]


@pytest.mark.parametrize(("proof", "build", "narrowed", "oracle"), BUILDS)
def test_a_broken_build_is_caught(proof, build, narrowed, oracle):
    found = breaches(proof, build, **narrowed)
    assert any(words.startswith(f"{oracle}: ") for words in found), found
