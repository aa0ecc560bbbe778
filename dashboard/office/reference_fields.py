"""Form fields, and their widgets, for references to entries of the lists. Call `bind` or
`bind_workspace` before they are shown.

Any number is accepted, named or not, because only the service knows which ids exist.
"""

import re
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils.html import format_html

from dashboard.core.service_name import SERVICE
from dashboard.gateway import whole_number
from dashboard.people.context import RequestContext
from dashboard.text.plain import cleaned, folded

from .kinds import KEYED_BY_NAME, KIND_SPECS, TEXT_CODES, Kind
from .record_field import RecordField
from .reference_lists import MAX_LISTED, CachedLists, get_cached_lists, only_currency

SHORT = 30
"""Lists up to this long are a select; the browser finds an entry by its first letters."""
FEW = 12
"""Of lists up to this long, several entries are chosen by ticking boxes."""
OTHER = "other"

_NUMBER = re.compile(r"#?\s*([0-9]{1,18})(?: \(not named yet\))?")
# The id of a tax is a string that the reference does not describe; a name without a digit is none.
_TEXT_CODE = re.compile(r"#?((?=\S*[0-9])\S{1,50})(?: \(not named yet\))?")

_SEPARATOR = re.compile(r"[,;\n]")


class ListWidget(forms.Widget):
    """Base class of the widgets for the entries of one list of a workspace."""

    def __init__(self, kind: Kind, attrs: dict[str, Any] | None = None) -> None:
        super().__init__({"autocomplete": "off", **(attrs or {})})
        self.kind = kind
        self.workspace = ""
        self.label = KIND_SPECS[kind].plural

    @property
    def lists(self) -> CachedLists:
        return get_cached_lists(self.workspace)

    @property
    def offered(self) -> dict[str, str]:
        return self.lists.active_choices(self.kind)

    def caption(self, code: str) -> str:
        """Return the text for a code, also for a retired or unnamed one."""
        return self.lists.label_with_code(self.kind, code)

    def suggestions(self) -> dict[str, Any]:
        """Return `completions`, or the `search_url` of a list that no page holds."""
        if len(self.offered) > MAX_LISTED:
            slug = KIND_SPECS[self.kind].slug
            return {"search_url": reverse("catalogue:search", args=[slug])}
        return {"completions": list(self.offered.values())}

    def resolve(self, text: object) -> str:
        """Return the code whose name, caption or digits were typed; else the typed text."""
        words = " ".join(str(text or "").split())
        code = self.lists.codes_by_name(self.kind).get(folded(words))
        if code:
            return code
        words = cleaned(words)
        if number := _NUMBER.fullmatch(words):
            return str(int(number[1]))
        if self.kind in TEXT_CODES and (given := _TEXT_CODE.fullmatch(words)):
            return given[1]
        return words

    def is_code(self, text: str) -> bool:
        """Return whether a resolved text is the code of an entry, named or not."""
        if text in self.lists.of(self.kind) or whole_number(text):
            return True
        return self.kind in TEXT_CODES and _TEXT_CODE.fullmatch(text) is not None


class ReferenceWidget(ListWidget):
    """One entry: a select with a way to give another number, or text completed from the list."""

    template_name = "office/_reference.html"

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        """Add `options` for a select (value, caption, chosen), else `text` with suggestions."""
        context = super().get_context(name, value, attrs)
        text = str(value or "")
        context["select"] = 0 < len(self.offered) <= SHORT
        if context["select"]:
            context.update(self._select(text))
        else:
            context["text"] = self._text(text)
            context.update(self.suggestions())
        return context

    def format_value(self, value: Any) -> str | None:
        """Return the code, as "#17" where another entry has it as its name."""
        code = super().format_value(value)
        is_name = code in self.lists.of(self.kind) and self.resolve(code) != code
        return f"#{code}" if is_name else code

    def value_from_datadict(self, data: Any, files: Any, name: str) -> str:
        """Return the code, or the typed text if it is none."""
        typed: str | None = data.get(name)
        if typed and len(self.offered) <= SHORT and typed in self.offered:
            return typed  # an option of the select, though it may be the name of another entry
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
    """Several entries: checkboxes, and a line for more, by name or number."""

    template_name = "office/_references.html"
    use_fieldset = True
    takes_names = False

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        """Add `boxes` (value, caption, ticked), `more` (typed and no entry) and suggestions."""
        context = super().get_context(name, value, attrs)
        chosen, more = self._parted(value)
        few = self.offered if len(self.offered) <= FEW else {}
        codes = [*few, *(code for code in chosen if code not in few)]
        context["boxes"] = [(code, self.caption(code), code in chosen) for code in codes]
        context["more"] = more
        context["named"] = self.takes_names or bool(self.offered)
        context["plural"] = self.label
        return context if few else context | self.suggestions()

    def value_from_datadict(self, data: Any, files: Any, name: str) -> str:
        """Return the codes, and typed texts that are none, separated by commas."""
        ticked = data.getlist(name) if hasattr(data, "getlist") else [data.get(name)]
        texts = [*ticked, data.get(f"{name}-more")]
        words = [word for text in texts for word in self.words(text)]
        return ", ".join(dict.fromkeys(words))

    def value_omitted_from_data(self, data: Any, files: Any, name: str) -> bool:
        """Return False: a browser sends nothing for unticked boxes."""
        return False

    def id_for_label(self, id_: str) -> str:
        """Return "": each box has a label of its own, and the legend names the group."""
        return ""

    def words(self, text: object) -> list[str]:
        """Split a typed line into codes. A name may contain a comma: the longest known name
        counts.
        """
        parts = _SEPARATOR.split(str(text or ""))
        codes: list[str] = []
        start, most = 0, self.lists.most_commas(self.kind) + 1  # so that long texts take no longer
        while start < len(parts):
            longest = min(most, len(parts) - start)
            sizes = range(longest, 1, -1)
            size = next((n for n in sizes if self._named(parts[start : start + n])), 1)
            codes.append(self.resolve(",".join(parts[start : start + size])))
            start += size
        return [word for one in codes if one for word in self._numbers(one)]

    def _named(self, parts: list[str]) -> bool:
        return self.resolve(",".join(parts)) in self.lists.of(self.kind)

    def _numbers(self, word: str) -> list[str]:
        """Read "4 17" as two numbers; anything else is one word."""
        numbers = word.split()
        plain = all(whole_number(number, least=0) is not None for number in numbers)
        return [self.resolve(number) for number in numbers] if plain else [word]

    def _parted(self, value: object) -> tuple[list[str], str]:
        text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else value
        words = self.words(text)
        return [w for w in words if self.is_code(w)], ", ".join(
            w for w in words if not self.is_code(w)
        )


class SuggestWidget(ListWidget, forms.TextInput):
    """Free text with the texts that were written before as suggestions."""

    template_name = "office/_suggest.html"

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        return super().get_context(name, value, attrs) | self.suggestions()


class _ListField(RecordField):
    widget: ListWidget

    def __init__(self, *, kind: Kind | str, widget: ListWidget, **kwargs: Any) -> None:
        self.kind = Kind(kind)
        super().__init__(widget=widget, **kwargs)
        self.asked = str(self.help_text)

    def bind(self, ctx: RequestContext) -> None:
        self.bind_workspace(ctx.workspace, ctx)

    def bind_workspace(self, workspace: str, ctx: RequestContext | None = None) -> None:
        """Offer the lists of this workspace. `ctx`: see `where_to_find`."""
        self.widget.workspace = workspace
        words = "" if self.more_names else where_to_find(workspace, self.kind, ctx)
        if words:
            self.help_text = format_html("{} {}", self.asked, words) if self.asked else words

    def _unknown(self, text: str) -> ValidationError:
        if not self.widget.offered:
            return ValidationError(f"“{text}” isn't valid. Enter a whole number, for example 17.")
        return ValidationError(
            f"No {self.kind.label} matches “{text}”. Choose one from the list, or enter a number."
        )


class ReferenceField(_ListField):
    """The id of one entry: an int, or a str where the reference has a string; None for nothing."""

    verb = "Choose"

    def __init__(self, *, kind: Kind | str, **kwargs: Any) -> None:
        kwargs.setdefault("widget", ReferenceWidget(Kind(kind)))
        super().__init__(kind=kind, **kwargs)
        self.api_kind = "string" if self.kind in TEXT_CODES else "integer"

    def bind(self, ctx: RequestContext) -> None:
        """Offer the entries; for a currency, say which one all records have."""
        super().bind(ctx)
        if self.kind == Kind.CURRENCY and (only := only_currency(ctx.workspace)):
            self.help_text = self.help_text or f"Your workspace uses only {only}."

    def caption(self, value: Any) -> str:
        return self.widget.caption(str(value)) if value else ""

    def to_python(self, value: object) -> int | str | None:
        text = str(value or "").strip()
        if not text:
            return None
        if self.kind in TEXT_CODES and self.widget.is_code(text):
            return text
        number = whole_number(text)
        if number is None:
            raise self._unknown(text)
        return number


class ReferencesField(_ListField):
    """The ids of several entries, as a list of int without repeats. `names_as`: where the API takes
    names, too, the field for those that the list lacks; they are texts in the list.
    """

    widget: ReferencesWidget
    api_kind = "integers"

    def __init__(self, *, kind: Kind | str, names_as: str = "", **kwargs: Any) -> None:
        kwargs.setdefault("widget", ReferencesWidget(Kind(kind)))
        super().__init__(kind=kind, **kwargs)
        self.more_names = (names_as,) if names_as else ()
        self.widget.takes_names = bool(names_as)

    def comparable(self, value: Any) -> object:
        """Ignore the order of the entries."""
        return sorted(self.widget.words(value))

    def caption(self, value: Any) -> str:
        return ", ".join(map(self.widget.caption, self.widget.words(value)))

    def to_python(self, value: object) -> list[int | str]:
        words = [word.strip() for word in str(value or "").split(",") if word.strip()]
        entries: dict[int | str, None] = {}
        for word in words:
            number = whole_number(word)
            if number is None and not self.more_names:
                raise self._unknown(word)
            entries[number or word] = None
        return list(entries)

    def in_body(self, name: str, cleaned: list[int | str]) -> dict[str, Any]:
        names = [entry for entry in cleaned if isinstance(entry, str)]
        ids = [entry for entry in cleaned if isinstance(entry, int)]
        return {name: ids, **dict.fromkeys(self.more_names, names)}


class SuggestField(RecordField, forms.CharField):
    """Free text with suggestions; `kind` is one of kinds.FREE_TEXT_KINDS."""

    widget: SuggestWidget
    api_kind = "string"

    def __init__(self, *, kind: Kind | str, **kwargs: Any) -> None:
        self.kind = Kind(kind)
        super().__init__(widget=SuggestWidget(self.kind), **kwargs)

    def bind(self, ctx: RequestContext) -> None:
        self.widget.workspace = ctx.workspace


def where_to_find(workspace: str, kind: Kind, ctx: RequestContext | None) -> str:
    """Return where to find the ids of a list without names, and who names them: a link for those
    who may, else whom to ask. "" for a list with names.

    ctx: None for someone who may name them.
    """
    lists = get_cached_lists(workspace)
    if lists.of(kind):
        return ""
    words = f"{KIND_SPECS[kind].plural} have no names yet"
    if kind in KEYED_BY_NAME:
        words += f": enter {SERVICE}'s own name"
    elif not lists.active_choices(kind):
        words += f": enter {SERVICE}'s own number, which stands at the end of its address there"
    if ctx and ctx.whom_to_ask:
        return f"{words}. {ctx.whom_to_ask}"
    link = '{}. <a href="{}">Set up the lists</a>'
    return format_html(link, words, reverse("setup:page"))
