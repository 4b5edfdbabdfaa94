"""Made from the OpenAPI document by `npm run sdks`; changes made here are lost."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from .._call import Call
from .._paging import Page, walk_by_cursor, walk_by_cursor_async
from .._transport import AsyncTransport, Transport
from .models import LegacyPathOfLink


class Legacy:
    """`client.legacy`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list_paths(
        self,
        *,
        path: str | None = None,
        domain: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[LegacyPathOfLink]:
        """List the paths of other services that links answer as well, or look one of them up.

        Needs a key with the scope `read`.

        Args:
            path: Only this path, decoded; a slash before it is left out. At most 512 characters.
            domain: Host of a short domain; without it, legacy paths of all domains. At most 253 characters.
            cursor: The cursor from the `Link` header of the previous page.
            limit: The most entries of an answer. 1 to 1000. `100` unless given.
        """
        return self._transport.page(
            Call(
                "GET",
                "/legacy",
                query={
                    "path": path,
                    "domain": domain,
                    "cursor": cursor,
                    "limit": limit,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            LegacyPathOfLink.from_json,
        )

    def list_all_paths(
        self,
        *,
        path: str | None = None,
        domain: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Iterator[LegacyPathOfLink]:
        """Like `list_paths`, but item by item through all pages."""
        return walk_by_cursor(
            lambda page_cursor: self.list_paths(
                path=path,
                domain=domain,
                cursor=page_cursor,
                limit=limit,
                timeout=timeout,
                max_retries=max_retries,
            ),
            cursor,
        )


class AsyncLegacy:
    """`client.legacy`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list_paths(
        self,
        *,
        path: str | None = None,
        domain: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[LegacyPathOfLink]:
        """List the paths of other services that links answer as well, or look one of them up.

        Needs a key with the scope `read`.

        Args:
            path: Only this path, decoded; a slash before it is left out. At most 512 characters.
            domain: Host of a short domain; without it, legacy paths of all domains. At most 253 characters.
            cursor: The cursor from the `Link` header of the previous page.
            limit: The most entries of an answer. 1 to 1000. `100` unless given.
        """
        return await self._transport.page(
            Call(
                "GET",
                "/legacy",
                query={
                    "path": path,
                    "domain": domain,
                    "cursor": cursor,
                    "limit": limit,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            LegacyPathOfLink.from_json,
        )

    def list_all_paths(
        self,
        *,
        path: str | None = None,
        domain: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncIterator[LegacyPathOfLink]:
        """Like `list_paths`, but item by item through all pages."""
        return walk_by_cursor_async(
            lambda page_cursor: self.list_paths(
                path=path,
                domain=domain,
                cursor=page_cursor,
                limit=limit,
                timeout=timeout,
                max_retries=max_retries,
            ),
            cursor,
        )
