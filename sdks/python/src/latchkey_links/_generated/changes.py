"""Made from the OpenAPI document by `npm run sdks`; changes made here are lost."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Literal

from .._call import OMITTED, Call, Omitted
from .._paging import Page, walk_by_cursor, walk_by_cursor_async
from .._transport import AsyncTransport, Transport
from .models import HistoryChange, UndoResult


class Changes:
    """`client.changes`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        identity: str | None = None,
        via: Literal["api", "app", "mcp", "import", "cli", "watch", "code"] | None = None,
        assistant: str | None = None,
        since: int | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[HistoryChange]:
        """List your changes of links and bundles, latest first; administrators those of everyone.

        Needs a key with the scope `read`.

        Args:
            identity: The person who wrote: you by default. For administrators, everyone.
            via: Only changes through this channel.
            assistant: Only changes of this program, as in a change.
            since: Unix seconds.
            cursor: The cursor from the `Link` header of the previous page.
            limit: The most entries of an answer. 1 to 200. `50` unless given.
        """
        return self._transport.page(
            Call(
                "GET",
                "/changes",
                query={
                    "identity": identity,
                    "via": via,
                    "assistant": assistant,
                    "since": since,
                    "cursor": cursor,
                    "limit": limit,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            HistoryChange.from_json,
        )

    def list_all(
        self,
        *,
        identity: str | None = None,
        via: Literal["api", "app", "mcp", "import", "cli", "watch", "code"] | None = None,
        assistant: str | None = None,
        since: int | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Iterator[HistoryChange]:
        """Like `list`, but item by item through all pages."""
        return walk_by_cursor(
            lambda page_cursor: self.list(
                identity=identity,
                via=via,
                assistant=assistant,
                since=since,
                cursor=page_cursor,
                limit=limit,
                timeout=timeout,
                max_retries=max_retries,
            ),
            cursor,
        )

    def undo(
        self,
        *,
        since: int,
        identity: str | Omitted = OMITTED,
        assistant: str | Omitted = OMITTED,
        via: Literal["api", "app", "mcp", "import", "cli", "watch", "code"] | Omitted = OMITTED,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> UndoResult:
        """Undo your changes since a moment, or those of an assistant; administrators those of everyone.

        Needs a key with the scope `create`.

        Args:
            since: Unix seconds.
            identity: The person who wrote: you by default. For administrators who name an assistant, everyone.
            assistant: As in a change.
        """
        return self._transport.json(
            Call(
                "POST",
                "/changes/undo",
                body={
                    "since": since,
                    "identity": identity,
                    "assistant": assistant,
                    "via": via,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            UndoResult.from_json,
        )


class AsyncChanges:
    """`client.changes`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list(
        self,
        *,
        identity: str | None = None,
        via: Literal["api", "app", "mcp", "import", "cli", "watch", "code"] | None = None,
        assistant: str | None = None,
        since: int | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[HistoryChange]:
        """List your changes of links and bundles, latest first; administrators those of everyone.

        Needs a key with the scope `read`.

        Args:
            identity: The person who wrote: you by default. For administrators, everyone.
            via: Only changes through this channel.
            assistant: Only changes of this program, as in a change.
            since: Unix seconds.
            cursor: The cursor from the `Link` header of the previous page.
            limit: The most entries of an answer. 1 to 200. `50` unless given.
        """
        return await self._transport.page(
            Call(
                "GET",
                "/changes",
                query={
                    "identity": identity,
                    "via": via,
                    "assistant": assistant,
                    "since": since,
                    "cursor": cursor,
                    "limit": limit,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            HistoryChange.from_json,
        )

    def list_all(
        self,
        *,
        identity: str | None = None,
        via: Literal["api", "app", "mcp", "import", "cli", "watch", "code"] | None = None,
        assistant: str | None = None,
        since: int | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncIterator[HistoryChange]:
        """Like `list`, but item by item through all pages."""
        return walk_by_cursor_async(
            lambda page_cursor: self.list(
                identity=identity,
                via=via,
                assistant=assistant,
                since=since,
                cursor=page_cursor,
                limit=limit,
                timeout=timeout,
                max_retries=max_retries,
            ),
            cursor,
        )

    async def undo(
        self,
        *,
        since: int,
        identity: str | Omitted = OMITTED,
        assistant: str | Omitted = OMITTED,
        via: Literal["api", "app", "mcp", "import", "cli", "watch", "code"] | Omitted = OMITTED,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> UndoResult:
        """Undo your changes since a moment, or those of an assistant; administrators those of everyone.

        Needs a key with the scope `create`.

        Args:
            since: Unix seconds.
            identity: The person who wrote: you by default. For administrators who name an assistant, everyone.
            assistant: As in a change.
        """
        return await self._transport.json(
            Call(
                "POST",
                "/changes/undo",
                body={
                    "since": since,
                    "identity": identity,
                    "assistant": assistant,
                    "via": via,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            UndoResult.from_json,
        )
