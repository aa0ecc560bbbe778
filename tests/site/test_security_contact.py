"""/.well-known/security.txt, which says where a vulnerability is reported."""


def test_it_names_the_contact_and_is_absent_without_one(client, settings):
    assert client.get("/.well-known/security.txt").status_code == 404
    settings.SECURITY_CONTACT = "security@example.test"
    page = client.get("/.well-known/security.txt")
    assert page["Content-Type"].startswith("text/plain")
    assert "Contact: mailto:security@example.test\n" in page.text
    settings.SECURITY_CONTACT = "https://example.test/report"
    assert "Contact: https://example.test/report\n" in client.get(page.wsgi_request.path).text
