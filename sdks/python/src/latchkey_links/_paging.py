from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar
from urllib.parse import parse_qs, urlsplit

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page of a list."""

    items: list[T]
    total: int
    """The number of items on all pages."""
    next_cursor: str | None
    """The `cursor` of the next page; None on the last page."""


class OffsetPage(Protocol[T]):
    """A page of a list that is paged by offset instead of by cursor."""

    @property
    def items(self) -> list[T]: ...
    @property
    def total(self) -> int: ...


def next_cursor(header: str | None) -> str | None:
    """Find the cursor in a `Link: <…>; rel="next"` header."""
    match = re.search(r'<([^>]*)>\s*;\s*rel="?next"?', header or "")
    if match is None:
        return None
    return parse_qs(urlsplit(match[1]).query).get("cursor", [None])[0]


def walk_by_cursor(load: Callable[[str | None], Page[T]], first: str | None) -> Iterator[T]:
    """Yield the items of all pages; a page is loaded once the previous one is used up."""
    cursor = first
    while True:
        page = load(cursor)
        yield from page.items
        cursor = page.next_cursor
        if cursor is None:
            return


async def walk_by_cursor_async(
    load: Callable[[str | None], Awaitable[Page[T]]], first: str | None
) -> AsyncIterator[T]:
    cursor = first
    while True:
        page = await load(cursor)
        for item in page.items:
            yield item
        cursor = page.next_cursor
        if cursor is None:
            return


def walk_by_offset(load: Callable[[int], OffsetPage[T]], first: int | None) -> Iterator[T]:
    """Yield the items of all pages of a list that is paged by offset."""
    offset = max(0, first or 0)
    while True:
        page = load(offset)
        yield from page.items
        offset += len(page.items)
        if not page.items or offset >= page.total:
            return


async def walk_by_offset_async(
    load: Callable[[int], Awaitable[OffsetPage[T]]], first: int | None
) -> AsyncIterator[T]:
    offset = max(0, first or 0)
    while True:
        page = await load(offset)
        for item in page.items:
            yield item
        offset += len(page.items)
        if not page.items or offset >= page.total:
            return
