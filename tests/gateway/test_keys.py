"""Keys are not shown by printing, pickling or tracebacks."""

import pickle
import pprint
import traceback

import pytest

from dashboard.gateway import Keys

ACCESS, SECRET = "ak-visible-1234", "sk-visible-5678"


def keys() -> Keys:
    return Keys(access=ACCESS, secret=SECRET)


def test_no_way_of_printing_shows_the_keys() -> None:
    held = keys()
    shown = [repr(held), str(held), f"{held}", f"{held!r}", f"{[held]}"]
    shown += [pprint.pformat({"keys": held}), "%s %r" % (held, held), str(vars(type(held)))]  # noqa: UP031
    assert not any("visible" in text for text in shown)
    assert not hasattr(held, "__dict__")


def test_a_traceback_with_locals_shows_nothing() -> None:
    def fail(pair: Keys) -> None:
        raise RuntimeError

    held = keys()
    try:
        fail(held)
    except RuntimeError as error:
        trace = traceback.TracebackException.from_exception(error, capture_locals=True)
    printed = "".join(trace.format())
    assert "pair" in printed
    assert "visible" not in printed


@pytest.mark.parametrize("bad", ["", " ", "a b", "a\n", "é", "a\r\nx-evil: 1", "k" * 501])
def test_an_invalid_key_raises_value_error_without_showing_it(bad: str) -> None:
    for access, secret in ((bad, SECRET), (ACCESS, bad)):
        with pytest.raises(ValueError, match="printable") as raised:
            Keys(access=access, secret=secret)
        frame = raised.traceback[-1].frame
        assert not frame.f_locals.get("access")
        assert not frame.f_locals.get("secret")


def test_keys_cannot_be_pickled() -> None:
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(TypeError):
            pickle.dumps(keys(), protocol)
    with pytest.raises(TypeError):
        keys().__getstate__()


def test_last4_is_empty_for_a_short_access_key() -> None:
    assert keys().last4 == "1234"
    assert Keys(access="short678", secret="x").last4 == ""
