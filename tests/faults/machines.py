"""How Hypothesis runs the state machines: by seed, without shrinking, up to the first breach."""

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test


def run(machine: type[RuleBasedStateMachine], of: str, examples: int, steps: int) -> None:
    """Run so many examples of at most so many steps; raises with the steps of a breach.

    Nothing is shrunk and no example is kept, as an example takes long.
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


class Machine(RuleBasedStateMachine):
    """`found` keeps the first breach, should the dashboard catch it or a replay miss it."""

    found: list[str]

    def check(self, kept: object, words: str) -> None:
        """Raise AssertionError with the words of a breach unless the promise is kept."""
        if not kept:
            self.found.append(words)
            raise AssertionError(words)


def breaches(machine: type[Machine], of: str, examples: int, steps: int) -> list[str]:
    """What `run` finds, without its steps."""
    try:
        run(machine, of, examples, steps)
    except Exception:
        if not machine.found:
            raise
    return machine.found
