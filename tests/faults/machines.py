"""How Hypothesis runs the state machines: by seed, without shrinking, up to the first breach."""

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

CHANCE = st.randoms(use_true_random=True)  # what a rule leaves to chance, by the seed


def run(machine: type[RuleBasedStateMachine], of: str, examples: int, steps: int) -> None:
    """Run so many examples of at most so many steps; raises with the steps of a breach.

    Nothing is shrunk and no example is kept: an example depends on threads, and each takes long.
    """
    run_state_machine_as_test(
        seed(of)(machine),
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            phases=[Phase.generate],
            database=None,
            deadline=None,
            report_multiple_bugs=False,
            suppress_health_check=list(HealthCheck),
        ),
    )


def rule_for(users: tuple[str, ...], fits: Callable[[Any, str], bool]) -> Callable[..., Any]:
    """A rule with a user `who` for whom it `fits`, and `chance`; not run where it fits nobody."""

    def fitting(machine: Any) -> list[str]:
        return [who for who in users if fits(machine, who)]

    who = st.runner().flatmap(lambda machine: st.sampled_from(fitting(machine)))
    return lambda step: precondition(lambda machine: bool(fitting(machine)))(
        rule(who=who, chance=CHANCE)(step)
    )
