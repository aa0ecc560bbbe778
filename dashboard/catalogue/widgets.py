"""Widgets for references: a select, or for long lists a text that is completed as it is typed.

The value of a widget is text: the id, or the typed text where it stands for no known entry. All of
them work without JavaScript.
"""

import re
from typing import Any

from django import forms

from dashboard.gateway import whole_number

from . import cached_lists
from .kinds import ABOUT, TEXT_CODES, Kind

SHORT = 30
"""Lists up to this long are a select; the browser finds an entry by its first letters."""
FEW = 12
"""Of lists up to this long, several entries are chosen by ticking boxes."""
OTHER = "other"
MOST_COMPLETED = 2000

_NUMBER = re.compile(r"#?\s*([0-9]{1,18})(?: \(not named yet\))?")
# The id of a tax is a string that the reference does not describe; a name without a digit is none.
_TEXT_CODE = re.compile(r"#?((?=\S*[0-9])\S{1,50})(?: \(not named yet\))?")

_SEPARATOR = re.compile(r"[,;\n]")


class ListWidget(forms.Widget):
    """The common part: which list, of which workspace."""

    def __init__(self, kind: Kind, attrs: dict[str, Any] | None = None) -> None:
        super().__init__({"autocomplete": "off", **(attrs or {})})
        self.kind = kind
        self.workspace = ""
        self.label = ABOUT[kind].plural

    @property
    def offered(self) -> dict[str, str]:
        """Captions by code."""
        return cached_lists.of(self.workspace).offered(self.kind)

    def caption(self, code: str) -> str:
        """The text for a code, also for a retired or unnamed one."""
        return cached_lists.of(self.workspace).caption(self.kind, code)

    def resolve(self, text: object) -> str:
        """The code whose name, caption or digits were typed; else the typed text."""
        words = " ".join(str(text or "").split())
        code = cached_lists.of(self.workspace).codes(self.kind).get(words.casefold())
        if code:
            return code
        if number := _NUMBER.fullmatch(words):
            return str(int(number[1]))
        if self.kind in TEXT_CODES and (given := _TEXT_CODE.fullmatch(words)):
            return given[1]
        return words

    def is_code(self, text: str) -> bool:
        """Whether a resolved text is the code of an entry, named or not."""
        if text in cached_lists.of(self.workspace).of(self.kind) or whole_number(text):
            return True
        return self.kind in TEXT_CODES and _TEXT_CODE.fullmatch(text) is not None


class ReferenceWidget(ListWidget):
    """One entry: a select with a way to give another number, or text completed from the list."""

    template_name = "catalogue/_reference.html"

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        """`options` for a select (value, caption, chosen); else `completions` for the text."""
        context = super().get_context(name, value, attrs)
        text = str(value or "")
        context["select"] = 0 < len(self.offered) <= SHORT
        if context["select"]:
            context.update(self._select(text))
        else:
            context["text"] = self._text(text)
            context["completions"] = list(self.offered.values())[:MOST_COMPLETED]
        return context

    def value_from_datadict(self, data: Any, files: Any, name: str) -> str:
        """The code, or the typed text where it is none."""
        typed = data.get(name)
        return self.resolve(data.get(f"{name}-number") if typed == OTHER else typed)

    def _select(self, text: str) -> dict[str, Any]:
        options = [(code, caption, code == text) for code, caption in self.offered.items()]
        known = text in self.offered
        if text and not known and self.is_code(text):
            options.append((text, self.caption(text), True))
            known = True
        return {
            "options": options,
            "empty": "Choose…" if self.is_required else "None",
            "other": OTHER,
            "typed": "" if known else text,
        }

    def _text(self, text: str) -> str:
        if not self.offered:
            return text
        return self.caption(text) if text and self.is_code(text) else text


class ReferencesWidget(ListWidget):
    """Several entries: boxes to tick, and a line for more, by name or number."""

    template_name = "catalogue/_references.html"
    use_fieldset = True

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        """`boxes` (value, caption, ticked), `more` (typed and no entry), `completions`."""
        context = super().get_context(name, value, attrs)
        chosen, more = self._parted(value)
        few = self.offered if len(self.offered) <= FEW else {}
        codes = [*few, *(code for code in chosen if code not in few)]
        context["boxes"] = [(code, self.caption(code), code in chosen) for code in codes]
        context["more"] = more
        context["named"] = bool(self.offered)
        context["plural"] = self.label
        context["completions"] = [] if few else list(self.offered.values())[:MOST_COMPLETED]
        return context

    def value_from_datadict(self, data: Any, files: Any, name: str) -> str:
        """The codes and the typed texts that are none, separated by commas."""
        ticked = data.getlist(name) if hasattr(data, "getlist") else [data.get(name)]
        texts = [*ticked, data.get(f"{name}-more")]
        found = [word for text in texts for word in self.words(text)]
        return ", ".join(dict.fromkeys(found))

    def value_omitted_from_data(self, data: Any, files: Any, name: str) -> bool:
        """Never: a browser sends nothing for boxes that are not ticked."""
        return False

    def id_for_label(self, id_: str) -> str:
        """Each box has a label of its own; the group is named by its legend."""
        return ""

    def words(self, text: object) -> list[str]:
        """The codes in a typed line. A name may contain a comma: the longest known name counts."""
        parts = _SEPARATOR.split(str(text or ""))
        found: list[str] = []
        start, most = 0, self._most_parts()
        while start < len(parts):
            longest = min(most, len(parts) - start)
            sizes = range(longest, 1, -1)
            size = next((n for n in sizes if self._named(parts[start : start + n])), 1)
            found.append(self.resolve(",".join(parts[start : start + size])))
            start += size
        return [word for one in found if one for word in self._numbers(one)]

    def as_sent(self, value: object) -> tuple[str, ...]:
        """The entries in a fixed order, to compare two values."""
        return tuple(sorted(self.words(value)))

    def _most_parts(self) -> int:
        """The parts of the name or code with the most commas, so that long texts take no longer."""
        lists = cached_lists.of(self.workspace)
        known = (*lists.codes(self.kind), *lists.of(self.kind))
        return max((len(_SEPARATOR.split(one)) for one in known), default=1)

    def _named(self, parts: list[str]) -> bool:
        return self.resolve(",".join(parts)) in cached_lists.of(self.workspace).of(self.kind)

    def _numbers(self, word: str) -> list[str]:
        """ "4 17" is two numbers; anything else is one word."""
        numbers = word.split()
        plain = all(whole_number(number, least=0) is not None for number in numbers)
        return [self.resolve(number) for number in numbers] if plain else [word]

    def _parted(self, value: object) -> tuple[list[str], str]:
        text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else value
        words = self.words(text)
        return [w for w in words if self.is_code(w)], ", ".join(
            w for w in words if not self.is_code(w)
        )


class SuggestWidget(forms.TextInput):
    """Free text with the texts that were written before as suggestions."""

    template_name = "catalogue/_suggest.html"

    def __init__(self, kind: Kind, attrs: dict[str, Any] | None = None) -> None:
        super().__init__({"autocomplete": "off", **(attrs or {})})
        self.kind = kind
        self.workspace = ""

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        """With the suggestions as `completions`."""
        context = super().get_context(name, value, attrs)
        offered = cached_lists.of(self.workspace).offered(self.kind)
        context["completions"] = list(offered.values())[:MOST_COMPLETED]
        return context
