"""The words of an entry in one line, of which rules take spans as parts."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

LINKING = frozenset({"on", "at", "by", "next", "this", "due", "until", "closes"})
WORD = re.compile(r'@?"[^"]*"|\S+')
LOOSE = ""


@dataclass(frozen=True)
class EntryPart:
    """Words of the line and what they stand for. `name`: LOOSE for what no rule understands.

    `said`: what was understood, to be shown.
    """

    name: str
    typed: str
    value: Any
    said: str


class Words:
    """The words of a line. Rules take spans of them as parts; runs of the others are left."""

    def __init__(self, text: str) -> None:
        self.words = WORD.findall(text)
        self.taken = [False] * len(self.words)
        self._found: list[tuple[int, EntryPart]] = []

    @property
    def parts(self) -> list[EntryPart]:
        """The parts in the order of their words."""
        return [part for _, part in sorted(self._found, key=lambda found: found[0])]

    def take(
        self,
        name: str,
        read: Callable[[str], Any],
        *,
        longest: int = 1,
        linked: bool = False,
        first: bool = False,
        say: Callable[[Any], str] = str,
    ) -> None:
        """Take the last span of at most `longest` words of which `read` makes a value. `first`: the
        first such span. `linked`: with the word "on" or "by" before it.
        """
        starts = range(len(self.words))
        for start in starts if first else reversed(starts):
            for end in range(min(start + longest, len(self.words)), start, -1):
                value = None if any(self.taken[start:end]) else read(self._text(start, end))
                if value is not None:
                    is_linked = linked and start and self.words[start - 1].lower() in LINKING
                    self._add(name, start - bool(is_linked), end, value, say(value))
                    return

    def name_and_rest(
        self,
        name: str,
        *,
        whole: bool = False,
        other: str = LOOSE,
        is_other: Callable[[str], Any] = lambda _: False,
    ) -> None:
        """The first run of words is the name, the others stay loose. `whole`: all are the name.
        `is_other`: whether a run beside the name is the part `other`, which no word has yet.
        """
        runs = self._runs()
        best = next((run for run in runs if self._is_capital(run)), next(iter(runs), None))
        if whole and runs:
            text = " ".join(self._text(*run) for run in runs)
            self._found.append((runs[0][0], EntryPart(name, text, text, text)))
            return
        for run in runs:
            text = self._text(*run)
            may_be_other = run != best and all(part.name != other for _, part in self._found)
            kind = other if may_be_other and is_other(text) else LOOSE
            part = EntryPart(name if run == best else kind, text, text, text)
            self._found.append((run[0], part))

    def mention(self, read: Callable[[str], str | None], *, longest: int = 1) -> bool:
        """Note the first span of at most `longest` words of which `read` makes a contact, and leave
        them among the words; whether there is one. A single word is replaced by the value.
        """
        for start in range(len(self.words)):
            for end in range(min(start + longest, len(self.words)), start, -1):
                value = read(self._text(start, end) if longest > 1 else self.words[start])
                if value is None:
                    continue
                if longest == 1:
                    self.words[start] = value
                self._found.append((start, EntryPart("contact", "", value, value)))
                return True
        return False

    def note(self, name: str, value: Any, said: str) -> None:
        """A part that no words of its own say."""
        self._found.append((len(self.words), EntryPart(name, "", value, said)))

    def _add(self, name: str, start: int, end: int, value: Any, words: str) -> None:
        self.taken[start:end] = [True] * (end - start)
        part = EntryPart(name, " ".join(self.words[start:end]), value, words)
        self._found.append((start, part))

    def _runs(self) -> list[tuple[int, int]]:
        """The spans of words that are left, which end at a comma as well."""
        runs, start = [], None
        for place, is_taken in enumerate([*self.taken, True]):
            if is_taken and start is not None:
                runs.append((start, place))
                start = None
            elif not is_taken:
                start = place if start is None else start
                if self.words[place].endswith(","):
                    runs.append((start, place + 1))
                    start = None
        return runs

    def _is_capital(self, run: tuple[int, int]) -> bool:
        return any(
            word[:1] != word[:1].lower() or not word.isascii() for word in self.words[slice(*run)]
        )

    def _text(self, start: int, end: int) -> str:
        """The words without the marks around them."""
        return " ".join(self.words[start:end]).strip(" ,;")
