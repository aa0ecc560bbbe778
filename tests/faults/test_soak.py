"""A short walk in bad weather, and each oracle of the soak shown to bite."""

import pytest

from tests.faults import deeds, house, leaks, soak

SHORT, LONGEST = 100, 150


def walked(build):
    """Whether a broken build was found out on the way."""
    make, only, kinds, oracle = leaks.BUILDS[build]
    with make(), house.opened() as home:
        people = soak.Soak(home, "1", share=0.6 if kinds else 0, kinds=kinds)
        for _, found in deeds.walk(people, LONGEST, only):
            if any(words.startswith(f"{oracle}: ") for words in found):
                return True
    return False


@pytest.mark.django_db(transaction=True)
def test_a_short_walk_of_four_people_breaks_no_promise():
    with house.opened() as home:
        steps = list(deeds.walk(soak.Soak(home, "1", share=0.2), SHORT))
    assert len(steps) == SHORT + 4
    assert [words for _, found in steps for words in found] == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("build", leaks.BUILDS)
def test_a_broken_build_is_found_out(build):
    assert walked(build)
