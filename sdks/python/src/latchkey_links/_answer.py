"""Turns what httpx answers into values or errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar, cast

import httpx

from ._call import Call, File, many
from ._errors import LinksApiError
from ._paging import Page, next_cursor
from ._retry import Failed, read_retry_after, wait_before_retry

T = TypeVar("T")


def wait_after(
    call: Call, response: httpx.Response, retries: int, *, now: float, random: Callable[[], float]
) -> float | None:
    """Return the seconds to wait before a retry; None: the call is not repeated."""
    retry_after = read_retry_after(response.headers.get("retry-after"), now)
    return wait_before_retry(
        Failed(call.method, response.status_code, retry_after, retries), random
    )


def error_of(response: httpx.Response, now: float) -> LinksApiError:
    message = _error_body(response).get("error")
    return LinksApiError(
        response.status_code,
        message if isinstance(message, str) else f"HTTP {response.status_code}",
        code=response.headers.get("x-error-code"),
        request_id=response.headers.get("x-request-id"),
        retry_after=read_retry_after(response.headers.get("retry-after"), now),
    )


def value_of(response: httpx.Response, parse: Callable[[Any], T]) -> T:
    try:
        return parse(json.loads(response.content))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
        raise _unexpected(response) from problem


def page_of(response: httpx.Response, parse: Callable[[Any], T]) -> Page[T]:
    def read(data: Any) -> Page[T]:
        items = many(data, parse)
        total = response.headers.get("x-total-count")
        return Page(
            items=items,
            total=len(items) if total is None else int(total),
            next_cursor=next_cursor(response.headers.get("link")),
        )

    return value_of(response, read)


def file_of(response: httpx.Response) -> File:
    content_type = response.headers.get("content-type", "")
    # All files of the service are images or PDF. Other types come from a proxy.
    if not content_type.lower().startswith(("image/", "application/pdf")):
        raise _unexpected(response)
    return File(content_type, response.content)


def _unexpected(response: httpx.Response) -> LinksApiError:
    return LinksApiError(
        response.status_code,
        "The answer is not what this client expects; is base_url the address of Latchkey Links?",
        code="unexpected_answer",
        request_id=response.headers.get("x-request-id"),
    )


def _error_body(response: httpx.Response) -> dict[str, object]:
    """Return the JSON object of an error, or an empty one: a proxy may send anything."""
    try:
        body: object = json.loads(response.content)
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, object]", body) if isinstance(body, dict) else {}
