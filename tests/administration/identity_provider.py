"""A small OpenID Connect provider over real HTTP, which signs tokens with a key of its own."""

import base64
import hashlib
import json
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from socket import socket
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from django.test import Client

from tests.gateway.servers import RawServer, answer
from tests.page import InspectingClient

LOGIN = "/accounts/oidc/office/login/"
CLIENT, SECRET = "entry-desk", "a secret of the client"
MISSING = object()  # the value of a claim that is left out


class IdentityProvider:
    """What it says of the person who signs in (`claims`), and how it does it wrong.

    `answers` replaces the answer of a path: any JSON, or bytes as they are. `token` and `userinfo`
    replace claims of one of the two; a claim that is MISSING is left out. `forged` makes the token
    out of its claims and the right one.
    """

    def __init__(self) -> None:
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.url = ""
        self.behave()

    def behave(self) -> None:
        """Forget what it was told to say and to do wrong."""
        self.claims: dict[str, Any] = {}
        self.token: dict[str, Any] = {}
        self.userinfo: dict[str, Any] = {}
        self.answers: dict[str, Any] = {}
        self.forged: Callable[[dict[str, Any], str], Any] | None = None
        self.refuses = False
        self.codes: dict[str, dict[str, str]] = {}  # code -> query of /authorize

    def authorize(self, location: str) -> str:
        """What the person's browser does there; returns the address that it is sent back to."""
        asked = dict(parse_qsl(urlsplit(location).query))
        assert asked["response_type"] == "code"
        assert asked["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe()
        self.codes[code] = asked
        back = urlsplit(asked["redirect_uri"]).path
        answer = "error=access_denied" if self.refuses else f"code={code}"
        return f"{back}?{answer}&state={asked['state']}"

    def answer(self, path: str, body: dict[str, str]) -> tuple[int, Any]:
        if path in self.answers:
            return 200, self.answers[path]
        if path == "/.well-known/openid-configuration":
            return 200, {
                "issuer": self.url,
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
                "userinfo_endpoint": f"{self.url}/userinfo",
                "jwks_uri": f"{self.url}/jwks",
                "token_endpoint_auth_methods_supported": ["client_secret_post"],
            }
        if path == "/userinfo":
            return 200, _present({**self.claims, **self.userinfo})
        if path == "/jwks":
            public = jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key(), as_dict=True)
            return 200, {"keys": [{**public, "kid": "1", "alg": "RS256", "use": "sig"}]}
        if path == "/token":
            return self._exchange(body)
        return 404, {}

    def _exchange(self, body: dict[str, str]) -> tuple[int, Any]:
        asked = self.codes.pop(body.get("code", ""), None)
        digest = hashlib.sha256(body.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if asked is None or asked["code_challenge"] != challenge or body["client_secret"] != SECRET:
            return 400, {"error": "invalid_grant"}
        now = int(time.time())
        standard = {"iss": self.url, "aud": CLIENT, "iat": now, "exp": now + 60}
        claims = _present(
            {**standard, "nonce": asked.get("nonce", MISSING), **self.claims, **self.token}
        )
        signed = json.dumps(claims).encode()  # jwt.encode refuses what a claim may not be
        token = jwt.PyJWS().encode(signed, self.key, algorithm="RS256", headers={"kid": "1"})
        if self.forged:
            token = self.forged(claims, token)
        answer = {"access_token": "access", "token_type": "bearer", "id_token": token}
        return 200, _present(answer)


def _present(claims: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in claims.items() if value is not MISSING}


@contextmanager
def running() -> Iterator[IdentityProvider]:
    provider = IdentityProvider()

    def handle(connection: socket, request: bytes) -> None:
        head, _, body = request.partition(b"\r\n\r\n")
        path = head.split(b" ", 2)[1].decode()
        status, said = provider.answer(path, dict(parse_qsl(body.decode())))
        said = b"" if said is MISSING else said
        connection.sendall(answer(status, said, "Content-Type: application/json\r\n"))

    with RawServer(handle) as server:
        provider.url = server.url
        yield provider


def sign_in(
    provider: IdentityProvider, client: Client | None = None, query: str = ""
) -> InspectingClient:
    """A browser after single sign-on; `response` is what it was answered last."""
    browser = client or InspectingClient()
    browser.response = browser.get(f"{LOGIN}{query}")
    if browser.response.status_code == 302:
        browser.response = browser.get(provider.authorize(browser.response["Location"]))
    return browser
