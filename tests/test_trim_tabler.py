"""trim_tabler removes the rules of the listed classes and no others."""

import pytest

from dashboard.management.commands.trim_tabler import remaining_rules, removed_classes

REMOVED = removed_classes("# words\nnavbar\n= btn bg\n* pink x\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (".card{a:b}.navbar-brand{a:b}.btn{c:d}", ".card{a:b}.btn{c:d}"),
        (".card,.navbar .card,p{a:b}", ".card,p{a:b}"),
        (".btn-pink{a:b}.btn-pinkish{a:b}.btn-x{a:b}.bg-x-lt{a:b}", ".btn-pinkish{a:b}"),
        ("@media (x){.navbar{a:b}}p{a:b}", "p{a:b}"),
        ("@media (x){.navbar{a:b}p{c:d}}", "@media (x){p{c:d}}"),
        (".card:not(.navbar){a:b}", ".card:not(.navbar){a:b}"),
        (
            "p:is(.a,.b),.navbar{a:url('data:x,{;}')}q{a:b}",
            "p:is(.a,.b){a:url('data:x,{;}')}q{a:b}",
        ),
        (".m-xxl-3{a:b}.m-xl-3{a:b}", ".m-xl-3{a:b}"),
        ("@charset 'x';/* Licence {} */p{a:b}", "@charset 'x';/* Licence {} */p{a:b}"),
    ],
)
def test_only_rules_of_listed_classes_are_removed(before, after):
    assert "".join(remaining_rules(before, REMOVED)) == after
