from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from fake_service import FakeAnswer, FakeService, fake_service

from latchkey_links import LinksApiError
from latchkey_links._call import Call
from latchkey_links._retry import Failed, read_retry_after, wait_before_retry
from latchkey_links._transport import AsyncTransport, Options, Runtime, Transport

BUSY = FakeAnswer(503, {"error": "Busy"})
NEW_YEAR = 1767225600.0


def rate_limited(seconds: str) -> FakeAnswer:
    return FakeAnswer(429, {"error": "Too many requests"}, {"retry-after": seconds})


def send(
    kind: str, service: FakeService, call: Call, max_retries: int = 2
) -> tuple[Any, list[float]]:
    """Return the answer or the error, and the waits in between, which end at once."""
    waits: list[float] = []

    async def sleep_async(seconds: float) -> None:
        waits.append(seconds)

    runtime = Runtime(
        now=lambda: NEW_YEAR, random=lambda: 0.5, sleep=waits.append, sleep_async=sleep_async
    )
    options = Options(service.url, "sk_test", 30, max_retries)
    same: Callable[[Any], Any] = lambda data: data  # noqa: E731

    async def run() -> Any:
        transport = AsyncTransport(options, None, runtime)
        try:
            return await transport.json(call, same)
        finally:
            await transport.close()

    try:
        if kind == "async":
            return asyncio.run(run()), waits
        transport = Transport(options, None, runtime)
        try:
            return transport.json(call, same), waits
        finally:
            transport.close()
    except LinksApiError as error:
        return error, waits


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "POST"])
def test_idempotent_calls_are_repeated_on_429_and_503(kind: str, method: str) -> None:
    busy = FakeAnswer(503, BUSY.body, {"retry-after": "5"})
    with fake_service(busy, rate_limited("3"), FakeAnswer(body={"id": 1})) as service:
        assert send(kind, service, Call(method, "/links/1")) == ({"id": 1}, [5.25, 3.25])
    assert len(service.requests) == 3


@pytest.mark.parametrize(
    ("method", "status"),
    [("GET", 503), ("GET", 429), ("PUT", 429), ("DELETE", 429), ("POST", 503), ("POST", 429)],
)
def test_calls_are_repeated_without_retry_after(kind: str, method: str, status: int) -> None:
    with fake_service(FakeAnswer(status, BUSY.body), FakeAnswer(body={"id": 1})) as service:
        assert send(kind, service, Call(method, "/links/1")) == ({"id": 1}, [0.375])


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_a_change_that_may_have_been_made_is_not_repeated(kind: str, method: str) -> None:
    with fake_service(BUSY, FakeAnswer(404, {"error": "Link not found"})) as service:
        error, waits = send(kind, service, Call(method, "/links/1"))
    assert (error.status, error.message, error.retry_after) == (503, "Busy", None)
    assert (waits, len(service.requests)) == ([], 1)


def test_a_post_is_repeated_with_the_same_idempotency_key(kind: str) -> None:
    """L28.6: another call has another key, and other methods have none."""
    running = FakeAnswer(409, {"error": "Still running"}, {"retry-after": "1"})
    done = FakeAnswer(body={"id": 1})
    with fake_service(BUSY, running, done, done, done) as service:
        assert send(kind, service, Call("POST", "/links", body={})) == ({"id": 1}, [0.375, 1.25])
        send(kind, service, Call("POST", "/links", body={}))
        send(kind, service, Call("PUT", "/links/1", body={}))
    first, second, third, other, none = (
        request.headers.get("idempotency-key") for request in service.requests
    )
    assert first == second == third
    assert len(first or "") == 32
    assert other not in {first, None}
    assert none is None


def test_a_post_that_conflicts_with_something_else_is_not_repeated(kind: str) -> None:
    with fake_service(FakeAnswer(409, {"error": "Slug already exists"})) as service:
        error, waits = send(kind, service, Call("POST", "/links", body={}))
    assert (error.status, waits, len(service.requests)) == (409, [], 1)


@pytest.mark.parametrize("status", [400, 401, 404, 409, 500, 502])
def test_other_errors_are_not_repeated(kind: str, status: int) -> None:
    with fake_service(FakeAnswer(status, {"error": "No"}, {"retry-after": "0"})) as service:
        error, waits = send(kind, service, Call("GET", "/links/1"))
    assert (error.status, waits, len(service.requests)) == (status, [], 1)


def test_a_call_is_repeated_as_often_as_allowed_and_fails_with_the_last_answer(kind: str) -> None:
    with fake_service(BUSY, BUSY, rate_limited("1")) as service:
        error, waits = send(kind, service, Call("GET", "/links/1"))
    assert (error.status, error.retry_after, len(waits), len(service.requests)) == (429, 1, 2, 3)
    with fake_service(BUSY) as service:
        error, waits = send(kind, service, Call("GET", "/links/1"), max_retries=0)
    assert (error.status, waits) == (503, [])
    with fake_service(BUSY, BUSY) as service:
        send(kind, service, Call("GET", "/links/1", max_retries=1))
    assert len(service.requests) == 2


def test_a_retry_after_over_a_minute_is_reported_to_the_caller(kind: str) -> None:
    with fake_service(rate_limited("61")) as service:
        error, waits = send(kind, service, Call("GET", "/links/1"))
    assert (error.retry_after, waits, len(service.requests)) == (61, [], 1)


def wait(retries: int, retry_after: float | None, chance: float) -> float | None:
    return wait_before_retry(Failed("GET", 503, retry_after, retries), lambda: chance)


def test_the_wait_doubles_is_spread_and_stays_bounded() -> None:
    assert [wait(n, None, 0) for n in (0, 1, 2, 3, 4, 5, 5000)] == [0.25, 0.5, 1, 2, 4, 4, 4]
    assert wait(50, None, 1) == 8


def test_the_wait_is_never_shorter_than_the_server_asks() -> None:
    assert [wait(0, 0, 0), wait(0, 2, 0), wait(5, 2, 1), wait(0, 60, 0)] == [0, 2, 2.5, 60]


def test_retry_after_is_read_from_seconds_and_from_dates() -> None:
    assert read_retry_after("12", NEW_YEAR) == 12
    assert read_retry_after("Thu, 01 Jan 2026 00:00:30 GMT", NEW_YEAR) == 30
    assert read_retry_after("Wed, 31 Dec 2025 00:00:00 GMT", NEW_YEAR) == 0
    endless = (f"Thu, {'9' * 20} Jan 2026 00:00:30 GMT", f"Thu, 01 Jan 2026 00:00:30 +{'9' * 20}")
    for header in (None, "", " ", "soon", "-5 apples", "-5", "0.5", "5, 5", "²", *endless):
        assert read_retry_after(header, NEW_YEAR) is None
