"""Sends calls and retries them where that is safe, blocking or with asyncio."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import httpx

from ._answer import error_of, file_of, page_of, value_of, wait_after
from ._call import Call, File
from ._errors import LinksNetworkError, LinksTimeoutError
from ._generated.document import API_VERSION
from ._paging import Page

T = TypeVar("T")

_API_PATH = "/_/api"
# In seconds. poll(2) takes milliseconds as a signed 32-bit number.
_LONGEST_TIMEOUT = 2.0**31 / 1000
# The key must not be sent to another server.
_FOLLOW = False
# The last two are raised by httpx for a redirect without a target, and by sockets for an invalid
# host name.
_BROKEN = (httpx.RequestError, httpx.InvalidURL, UnicodeError)


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a client."""

    base_url: str
    api_key: str
    timeout: float | None
    max_retries: int

    def __post_init__(self) -> None:
        base_url = (self.base_url or "").strip()
        if _address_of(base_url).userinfo:
            # httpx would send these credentials instead of the key.
            message = "base_url must hold no user and no password"
            raise ValueError(message)
        object.__setattr__(self, "base_url", base_url)
        key = (self.api_key or "").strip()
        # Checked here, because the errors of httpx for an invalid header would quote the key.
        if not key or not all("!" <= character <= "~" for character in key):
            message = "api_key must be visible ASCII characters"
            raise ValueError(message)
        object.__setattr__(self, "api_key", key)

    def __repr__(self) -> str:
        # Keeps the key out of tracebacks and logs.
        return f"Options(base_url={self.base_url!r})"

    def request_of(self, call: Call) -> dict[str, Any]:
        timeout = self.timeout if call.timeout is None else call.timeout
        key = {"Idempotency-Key": call.idempotency_key} if call.method == "POST" else {}
        return {
            "method": call.method,
            "url": self.base_url.rstrip("/") + _API_PATH + call.path,
            "params": call.sent_query() or None,
            "json": call.sent_body(),
            "headers": {
                "Authorization": f"Bearer {self.api_key}",
                "X-Client": "sdk",
                "User-Agent": f"latchkey-links-python/{API_VERSION}",
                **key,
            },
            # A timeout beyond the maximum of the platform's timers is no limit.
            "timeout": None if timeout is None or timeout >= _LONGEST_TIMEOUT else timeout,
        }

    def retries_of(self, call: Call) -> int:
        return self.max_retries if call.max_retries is None else call.max_retries


def _address_of(base_url: str) -> httpx.URL:
    message = "base_url must be an http(s) URL"
    try:
        address = httpx.URL(base_url)
        host = address.host
    except (httpx.InvalidURL, ValueError):
        raise ValueError(message) from None
    if address.scheme not in {"http", "https"} or not host:
        raise ValueError(message)
    return address


@dataclass(frozen=True, slots=True)
class Runtime:
    """Clock and randomness, which tests replace."""

    now: Callable[[], float] = time.time
    random: Callable[[], float] = random.random
    sleep: Callable[[float], None] = time.sleep
    sleep_async: Callable[[float], Awaitable[None]] = asyncio.sleep


_REAL = Runtime()


class Transport:
    def __init__(
        self, options: Options, http: httpx.Client | None, runtime: Runtime = _REAL
    ) -> None:
        self._options = options
        self._http = http or httpx.Client()
        self._owned = http is None
        self._runtime = runtime

    def close(self) -> None:
        if self._owned:
            self._http.close()

    def json(self, call: Call, parse: Callable[[Any], T]) -> T:
        return value_of(self._send(call), parse)

    def page(self, call: Call, parse: Callable[[Any], T]) -> Page[T]:
        return page_of(self._send(call), parse)

    def file(self, call: Call) -> File:
        return file_of(self._send(call))

    def _send(self, call: Call) -> httpx.Response:
        runtime = self._runtime
        retries = 0
        while True:
            response = self._attempt(call)
            if response.is_success:
                return response
            wait = wait_after(call, response, retries, now=runtime.now(), random=runtime.random)
            if wait is None or retries >= self._options.retries_of(call):
                raise error_of(response, runtime.now())
            runtime.sleep(wait)
            retries += 1

    def _attempt(self, call: Call) -> httpx.Response:
        # Outside the `try`: an argument that cannot be sent is not a network error.
        request = self._http.build_request(**self._options.request_of(call))
        try:
            return self._http.send(request, follow_redirects=_FOLLOW)
        except httpx.TimeoutException as problem:
            raise LinksTimeoutError from problem
        except _BROKEN as problem:
            raise LinksNetworkError(problem) from problem


class AsyncTransport:
    def __init__(
        self, options: Options, http: httpx.AsyncClient | None, runtime: Runtime = _REAL
    ) -> None:
        self._options = options
        self._http = http or httpx.AsyncClient()
        self._owned = http is None
        self._runtime = runtime

    async def close(self) -> None:
        if self._owned:
            await self._http.aclose()

    async def json(self, call: Call, parse: Callable[[Any], T]) -> T:
        return value_of(await self._send(call), parse)

    async def page(self, call: Call, parse: Callable[[Any], T]) -> Page[T]:
        return page_of(await self._send(call), parse)

    async def file(self, call: Call) -> File:
        return file_of(await self._send(call))

    async def _send(self, call: Call) -> httpx.Response:
        runtime = self._runtime
        retries = 0
        while True:
            response = await self._attempt(call)
            if response.is_success:
                return response
            wait = wait_after(call, response, retries, now=runtime.now(), random=runtime.random)
            if wait is None or retries >= self._options.retries_of(call):
                raise error_of(response, runtime.now())
            await runtime.sleep_async(wait)
            retries += 1

    async def _attempt(self, call: Call) -> httpx.Response:
        # Outside the `try`: an argument that cannot be sent is not a network error.
        request = self._http.build_request(**self._options.request_of(call))
        try:
            return await self._http.send(request, follow_redirects=_FOLLOW)
        except httpx.TimeoutException as problem:
            raise LinksTimeoutError from problem
        except _BROKEN as problem:
            raise LinksNetworkError(problem) from problem
