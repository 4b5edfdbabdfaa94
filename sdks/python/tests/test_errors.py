from __future__ import annotations

import asyncio
import copy
import pickle
import socket
import time
from collections.abc import Callable
from typing import Any

import pytest
from fake_service import FakeAnswer, ask, fake_service

from latchkey_links import (
    AsyncLinksClient,
    LinksApiError,
    LinksError,
    LinksNetworkError,
    LinksTimeoutError,
)


def shortly(body: str) -> str:
    return body[:20]


def failure_to(kind: str, answer: FakeAnswer) -> LinksApiError:
    with fake_service(answer) as service, pytest.raises(LinksApiError) as caught:
        ask(kind, service.url, lambda client: client.links.create(url="x", max_retries=0))
    assert len(service.requests) == 1
    return caught.value


@pytest.mark.parametrize(
    ("status", "code", "message"),
    [
        (400, "invalid_request", 'Unknown field "x"'),
        (401, "unauthorized", "Unauthorized"),
        (403, "forbidden", "Only the link owner can update this link"),
        (404, "not_found", "Link not found"),
        (409, "conflict", "Slug already exists"),
        (413, "too_large", "Request body too large"),
        (429, "too_many_requests", "Too many requests"),
        (500, "internal", "Internal Server Error"),
        (503, "unavailable", "Try again later"),
        (418, "http_418", "Short and stout"),
    ],
)
def test_an_error_has_status_code_and_sentence(
    kind: str, status: int, code: str, message: str
) -> None:
    headers = {"x-request-id": "abc", "retry-after": "7"}
    error = failure_to(kind, FakeAnswer(status, {"error": message}, headers))
    assert (error.status, error.code, error.message) == (status, code, message)
    assert (error.request_id, error.retry_after) == ("abc", 7)
    assert isinstance(error, LinksError)
    assert str(error) == f"{status} {message}"


def test_an_error_has_the_code_of_the_header(kind: str) -> None:
    """L25.6"""
    headers = {"x-error-code": "slug_taken"}
    error = failure_to(kind, FakeAnswer(409, {"error": "Taken"}, headers))
    assert error.code == "slug_taken"


DEEP = "[" * 100_000


@pytest.mark.parametrize(
    "body", ["<html>Bad gateway</html>", "", "null", "[]", '{"error":5}', DEEP], ids=shortly
)
def test_an_error_of_a_proxy_keeps_its_status(kind: str, body: str) -> None:
    error = failure_to(kind, FakeAnswer(502, body))
    assert (error.status, error.code, error.message) == (502, "http_502", "HTTP 502")
    assert (error.request_id, error.retry_after) == (None, None)


@pytest.mark.parametrize(
    "body", ["<html>Sign in</html>", "[]", "{}", '{"id":1}', "null", "5", DEEP], ids=shortly
)
def test_a_good_status_with_something_else_is_an_error(kind: str, body: str) -> None:
    error = failure_to(kind, FakeAnswer(200, body))
    assert (error.status, error.code) == (200, "unexpected_answer")
    assert "base_url" in error.message


@pytest.mark.parametrize("body", ["{}", '""', "null", '{"items":{},"total":0}'])
def test_a_good_status_without_a_list_where_one_belongs_is_an_error(kind: str, body: str) -> None:
    calls: list[Callable[[Any], Any]] = [
        lambda client: client.links.list(),
        lambda client: client.links.list_all(),
        lambda client: client.links.list_bundles(1),
        lambda client: client.links.breakdown(1, dimension="os"),
    ]
    for call in calls:
        with fake_service(FakeAnswer(200, body)) as service, pytest.raises(LinksApiError) as caught:
            ask(kind, service.url, call)
        assert (caught.value.status, caught.value.code) == (200, "unexpected_answer")


@pytest.mark.parametrize(
    "headers",
    [
        {"link": '<http://[bad>; rel="next"'},
        {"x-total-count": "5, 5"},
        {"x-total-count": "many"},
    ],
)
def test_a_list_with_odd_headers_is_an_error(kind: str, headers: dict[str, str]) -> None:
    answer = FakeAnswer(200, [], {**headers, "x-request-id": "abc"})
    with fake_service(answer) as service, pytest.raises(LinksApiError) as caught:
        ask(kind, service.url, lambda client: client.links.list())
    assert (caught.value.code, caught.value.request_id) == ("unexpected_answer", "abc")


@pytest.mark.parametrize(
    "error",
    [
        LinksError("code", "Sentence"),
        LinksApiError(404, "Link not found", code="gone", request_id="abc", retry_after=7.0),
        LinksTimeoutError(),
        LinksNetworkError(OSError("Broken")),
    ],
)
def test_an_error_is_the_same_in_another_process(error: LinksError) -> None:
    for same in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(same) is type(error)
        assert (str(same), same.args, vars(same)) == (str(error), error.args, vars(error))


@pytest.mark.parametrize(
    "answer",
    [
        FakeAnswer(200, "<html>Sign in</html>", {"content-type": "text/html"}),
        FakeAnswer(200, {"id": 1}),
        FakeAnswer(204, "", {"content-type": ""}),
    ],
)
def test_a_qr_code_is_not_what_a_proxy_answers_instead(kind: str, answer: FakeAnswer) -> None:
    with fake_service(answer) as service, pytest.raises(LinksApiError) as caught:
        ask(kind, service.url, lambda client: client.links.qr(1))
    assert (caught.value.status, caught.value.code) == (answer.status, "unexpected_answer")


@pytest.mark.parametrize("content_type", ["IMAGE/PNG", "application/pdf"])
def test_a_qr_code_is_a_file_of_its_type(kind: str, content_type: str) -> None:
    answer = FakeAnswer(body="code", headers={"content-type": content_type})
    with fake_service(answer) as service:
        assert ask(kind, service.url, lambda client: client.links.qr(1)).content == b"code"


def test_no_answer_in_time_is_a_time_out_of_the_client_or_of_the_call(kind: str) -> None:
    # Long enough for the request to arrive on a busy machine.
    timeout = 1.0
    with fake_service(FakeAnswer(never=True), FakeAnswer(never=True)) as service:
        with pytest.raises(LinksTimeoutError) as caught:
            ask(kind, service.url, lambda client: client.links.get(1), timeout=timeout)
        with pytest.raises(LinksTimeoutError):
            ask(kind, service.url, lambda client: client.links.get(1, timeout=timeout))
    assert caught.value.code == "timeout"
    assert len(service.requests) == 2


@pytest.mark.parametrize("timeout", [float("inf"), 1e10, 2.0**32 / 1000])
def test_a_time_without_end_is_no_limit(kind: str, timeout: float) -> None:
    with fake_service(FakeAnswer(body=[]), FakeAnswer(body=[])) as service:
        ask(kind, service.url, lambda client: client.bundles.list(), timeout=timeout)
        ask(kind, service.url, lambda client: client.bundles.list(timeout=timeout))
    assert len(service.requests) == 2


def test_no_listening_server_is_a_network_error(kind: str) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with pytest.raises(LinksNetworkError) as caught:
            ask(kind, url, lambda client: client.links.get(1))
    assert caught.value.code == "network"
    assert caught.value.__cause__ is not None


def test_a_redirect_is_never_followed_with_the_key(kind: str) -> None:
    with fake_service(FakeAnswer()) as other:
        error = failure_to(kind, FakeAnswer(302, headers={"location": f"{other.url}/elsewhere"}))
    assert (error.status, error.code) == (302, "unexpected_answer")
    assert other.requests == []


@pytest.mark.parametrize("address", ["javascript:x", "http://xn--/", "http://x:y/"])
def test_a_redirect_to_nowhere_is_a_network_error(kind: str, address: str) -> None:
    with (
        fake_service(FakeAnswer(302, headers={"location": address})) as service,
        pytest.raises(LinksNetworkError),
    ):
        ask(kind, service.url, lambda client: client.links.get(1))
    assert len(service.requests) == 1


def test_a_name_that_no_host_can_have_is_a_network_error(kind: str) -> None:
    with pytest.raises(LinksNetworkError):
        ask(kind, "http://links..test", lambda client: client.links.get(1))


def test_an_argument_that_cannot_be_sent_is_no_network_error(kind: str) -> None:
    with fake_service() as service, pytest.raises(ValueError, match="surrogates not allowed"):
        ask(kind, service.url, lambda client: client.links.list(search="\ud83d"))
    assert service.requests == []


def cancelled_after(*answers: FakeAnswer) -> float:
    """Cancel a call once the service has received it; return the duration in seconds."""

    async def run(url: str, was_requested: Any) -> float:
        async with AsyncLinksClient(url, api_key="sk_test") as client:
            task = asyncio.create_task(client.links.get(1))
            await asyncio.to_thread(was_requested.wait, 10)
            begun = time.monotonic()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return time.monotonic() - begun

    with fake_service(*answers) as service:
        took = asyncio.run(run(service.url, service.was_requested))
    assert len(service.requests) == 1
    return took


def test_a_cancelled_task_ends_its_call_at_once() -> None:
    assert cancelled_after(FakeAnswer(never=True)) < 5


def test_a_cancelled_task_ends_its_wait_for_a_retry_at_once() -> None:
    assert cancelled_after(FakeAnswer(429, {"error": "Slow"}, {"retry-after": "50"})) < 5
