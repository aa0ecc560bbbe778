"""How templates are loaded, and what icons look like."""

from django.template.loader import get_template

from dashboard.templatetags.page import icon


def test_our_templates_go_out_without_their_indentation():
    source = get_template("records/_results.html").template.source
    assert "\n " not in source
    assert "\n<table" in source


def test_text_for_mail_keeps_its_lines():
    source = get_template("account/email/invitation_message.txt").template.source
    assert "\n\n" in source


def test_only_paths_that_begin_anew_are_joined():
    assert icon("menu").count("<path") == 1
    assert icon("sun").count("<circle") == 1
    assert '<path d="m4.93 4.93 1.41 1.41"/>' in icon("sun")
