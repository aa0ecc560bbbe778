"""The form of an export."""

from typing import Any

from django import forms

from dashboard.exports.contents import COLUMNS, Content
from dashboard.exports.files import FORMATS, XLSX


class ExportForm(forms.Form):
    """What the file holds, and its format."""

    use_required_attribute = False

    content = forms.ChoiceField(label="Fields", widget=forms.RadioSelect, initial=COLUMNS)
    form = forms.ChoiceField(
        label="File", widget=forms.RadioSelect, initial=XLSX, choices=tuple(FORMATS.items())
    )

    def __init__(self, *args: Any, contents: dict[str, Content], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [(key, content.label) for key, content in contents.items()]
        self.fields["content"].choices = choices  # type: ignore[attr-defined]
