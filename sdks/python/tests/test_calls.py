from __future__ import annotations

from typing import Any

import httpx
import pytest
from fake_service import FakeAnswer, ask, fake_service

import latchkey_links
from latchkey_links import AsyncLinksClient, LinksClient, models

SLUG: dict[str, Any] = {
    "link_id": 1,
    "slug": "a",
    "is_custom": 0,
    "is_primary": 1,
    "click_count": 0,
    "created_at": 1,
    "disabled_at": None,
}
LINK: dict[str, Any] = {
    "id": 1,
    "url": "https://example.com/",
    "label": None,
    "expires_at": None,
    "disabled_at": None,
    "created_via": "sdk",
    "created_by": "ann@example.com",
    "created_at": 1,
    "slugs": [SLUG],
    "total_clicks": 0,
    "short_origin": "https://go.example.com",
}


def test_a_call_carries_the_key_and_sends_fields_as_json(kind: str) -> None:
    with fake_service(FakeAnswer(201, LINK)) as service:
        ask(kind, f"{service.url}/", lambda client: client.links.create(url="x", label=None))
    request = service.requests[0]
    assert (request.method, request.path, request.body) == (
        "POST",
        "/_/api/links",
        {"url": "x", "label": None},
    )
    assert request.headers["authorization"] == "Bearer sk_test"
    assert request.headers["x-client"] == "sdk"
    assert request.headers["content-type"] == "application/json"
    assert request.headers["user-agent"].startswith("latchkey-links-python/")


def test_what_is_not_given_is_not_sent(kind: str) -> None:
    with fake_service(FakeAnswer(body=LINK), FakeAnswer(body=LINK)) as service:
        ask(kind, service.url, lambda client: client.links.update(1))
        ask(kind, service.url, lambda client: client.links.get(1, range=None))
    assert service.requests[0].body == {}
    assert service.requests[1].path == "/_/api/links/1"
    assert "content-type" not in service.requests[1].headers


def test_paths_and_queries_are_escaped(kind: str) -> None:
    with fake_service(
        FakeAnswer(body=LINK), FakeAnswer(body=[]), FakeAnswer(body={"deleted": True})
    ) as service:
        ask(kind, service.url, lambda client: client.slugs.get_link("a/b?c#d é", range="7d"))
        ask(kind, service.url, lambda client: client.links.list(search="100% & more", limit=5))
        ask(kind, service.url, lambda client: client.links.delete(1, force=True))
    assert [request.path for request in service.requests] == [
        "/_/api/slugs/a%2Fb%3Fc%23d%20%C3%A9?range=7d",
        "/_/api/links?search=100%25+%26+more&limit=5",
        "/_/api/links/1?force=true",
    ]


@pytest.mark.parametrize("slug", ["..", ".", ""])
def test_a_slug_that_steps_up_never_reaches_another_route(kind: str, slug: str) -> None:
    with fake_service() as service, pytest.raises(ValueError, match="no part of a path"):
        ask(kind, service.url, lambda client: client.links.disable_slug(5, slug))
    assert service.requests == []


def test_answers_are_objects_and_unknown_fields_are_passed_over(kind: str) -> None:
    with fake_service(FakeAnswer(body={**LINK, "new": {"later": 1}})) as service:
        link = ask(kind, service.url, lambda client: client.links.get(1))
    assert isinstance(link, models.Link)
    assert link.slugs == [models.Slug(**SLUG)]
    assert (link.delta_pct, link.duplicate) == (None, None)


def test_a_qr_code_is_a_file_with_its_type(kind: str) -> None:
    answer = FakeAnswer(body="<svg/>", headers={"content-type": "image/svg+xml"})
    with fake_service(answer) as service:
        code = ask(kind, service.url, lambda client: client.links.qr(1))
    assert (code.content_type, code.content, code.text) == ("image/svg+xml", b"<svg/>", "<svg/>")


@pytest.mark.parametrize(
    "url",
    [
        None,
        "",
        "example.com",
        "ftp://example.com",
        "http://",
        "javascript:x",
        "http://x:y",
        "http://x\ny",
        "http://xn--",
    ],
)
def test_an_address_that_is_none_is_refused(url: Any) -> None:
    for client in (LinksClient, AsyncLinksClient):
        with pytest.raises(ValueError, match=r"^base_url must be an") as caught:
            client(url, api_key="sk_test")
        assert type(caught.value) is ValueError


@pytest.mark.parametrize("user", ["ann", "ann:secret", ":secret"])
def test_an_address_with_a_user_or_a_password_is_refused_and_not_shown(user: str) -> None:
    for client in (LinksClient, AsyncLinksClient):
        with pytest.raises(ValueError, match=r"^base_url must hold no user and no password$"):
            client(f"https://{user}@example.com", api_key="sk_test")


def test_blanks_around_an_address_are_left_out() -> None:
    answer = FakeAnswer(body=[])
    with (
        fake_service(answer) as service,
        LinksClient(f" {service.url}/\n", api_key="sk_test") as client,
    ):
        client.bundles.list()
    assert service.requests[0].path == "/_/api/bundles"


@pytest.mark.parametrize(
    "key", [None, "", " \n", "sk_se\ncret", "sk_sécret", "sk_secret\0", "sk_secret\ud800"]
)
def test_a_key_that_cannot_be_sent_is_refused_and_not_shown(key: Any) -> None:
    for client in (LinksClient, AsyncLinksClient):
        with pytest.raises(ValueError, match="api_key") as caught:
            client("https://example.com", api_key=key)
        assert type(caught.value) is ValueError
        assert "sk_" not in str(caught.value)


def test_blanks_around_a_key_are_not_sent() -> None:
    answer = FakeAnswer(body=[])
    with fake_service(answer) as service, LinksClient(service.url, api_key=" sk_test\n") as client:
        client.bundles.list()
    assert service.requests[0].headers["authorization"] == "Bearer sk_test"


def test_a_good_key_is_not_shown() -> None:
    with LinksClient("https://example.com", api_key="sk_secret") as client:
        assert "sk_secret" not in repr(client._transport._options)  # pyright: ignore[reportPrivateUsage]


def test_a_client_of_httpx_that_is_given_is_used_and_left_open() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json=[])

    http = httpx.Client(transport=httpx.MockTransport(answer))
    with LinksClient("https://example.com", api_key="sk_test", http_client=http) as client:
        assert client.bundles.list().items == []
    assert not http.is_closed
    http.close()


def test_everything_is_exported() -> None:
    for name in latchkey_links.__all__:
        assert hasattr(latchkey_links, name)
