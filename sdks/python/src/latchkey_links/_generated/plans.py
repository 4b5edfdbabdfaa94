"""Made from the OpenAPI document by `npm run sdks`; changes made here are lost."""

from __future__ import annotations

import builtins
from collections.abc import AsyncIterator, Iterator
from typing import Literal

from .._call import OMITTED, Call, Omitted, segment
from .._paging import Page, walk_by_cursor, walk_by_cursor_async
from .._transport import AsyncTransport, Transport
from .models import Plan, PlanOp, PlanSummary, PlanUndo


class Plans:
    """`client.plans`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        title: str | Omitted = OMITTED,
        ops: builtins.list[PlanOp],
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Plan:
        """Plan operations: check them and see what they would change, without changing it.

        Needs a key with the scope `create`.

        Args:
            title: At most 120 characters.
            ops: At least 1. At most 500.
        """
        return self._transport.json(
            Call(
                "POST",
                "/plans",
                body={
                    "title": title,
                    "ops": ops,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Plan.from_json,
        )

    def list(
        self,
        *,
        state: Literal["open", "applied", "discarded", "undone", "expired"] | None = None,
        identity: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[PlanSummary]:
        """List your plans, latest first; administrators those of everyone.

        Needs a key with the scope `read`.

        Args:
            state: Only plans in this state.
            identity: The person for whom the changes were planned.
            cursor: The cursor from the `Link` header of the previous page.
            limit: The most entries of an answer. 1 to 200. `50` unless given.
        """
        return self._transport.page(
            Call(
                "GET",
                "/plans",
                query={
                    "state": state,
                    "identity": identity,
                    "cursor": cursor,
                    "limit": limit,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            PlanSummary.from_json,
        )

    def list_all(
        self,
        *,
        state: Literal["open", "applied", "discarded", "undone", "expired"] | None = None,
        identity: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Iterator[PlanSummary]:
        """Like `list`, but item by item through all pages."""
        return walk_by_cursor(
            lambda page_cursor: self.list(
                state=state,
                identity=identity,
                cursor=page_cursor,
                limit=limit,
                timeout=timeout,
                max_retries=max_retries,
            ),
            cursor,
        )

    def get(
        self,
        id: int,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Plan:
        """Read a plan with everything that it changes.

        Needs a key with the scope `read`.
        """
        return self._transport.json(
            Call(
                "GET",
                f"/plans/{segment(id)}",
                timeout=timeout,
                max_retries=max_retries,
            ),
            Plan.from_json,
        )

    def apply(
        self,
        id: int,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Plan:
        """Apply a plan: all of it, or nothing if something was changed since or an operation is refused.

        Needs a key with the scope `create`.
        """
        return self._transport.json(
            Call(
                "POST",
                f"/plans/{segment(id)}/apply",
                timeout=timeout,
                max_retries=max_retries,
            ),
            Plan.from_json,
        )

    def discard(
        self,
        id: int,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Plan:
        """Discard a plan, which can then no longer be applied.

        Needs a key with the scope `create`.
        """
        return self._transport.json(
            Call(
                "POST",
                f"/plans/{segment(id)}/discard",
                timeout=timeout,
                max_retries=max_retries,
            ),
            Plan.from_json,
        )

    def undo(
        self,
        id: int,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> PlanUndo:
        """Undo an applied plan where nothing was changed since, and list what stays.

        Needs a key with the scope `create`.
        """
        return self._transport.json(
            Call(
                "POST",
                f"/plans/{segment(id)}/undo",
                timeout=timeout,
                max_retries=max_retries,
            ),
            PlanUndo.from_json,
        )


class AsyncPlans:
    """`client.plans`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        title: str | Omitted = OMITTED,
        ops: builtins.list[PlanOp],
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Plan:
        """Plan operations: check them and see what they would change, without changing it.

        Needs a key with the scope `create`.

        Args:
            title: At most 120 characters.
            ops: At least 1. At most 500.
        """
        return await self._transport.json(
            Call(
                "POST",
                "/plans",
                body={
                    "title": title,
                    "ops": ops,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Plan.from_json,
        )

    async def list(
        self,
        *,
        state: Literal["open", "applied", "discarded", "undone", "expired"] | None = None,
        identity: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[PlanSummary]:
        """List your plans, latest first; administrators those of everyone.

        Needs a key with the scope `read`.

        Args:
            state: Only plans in this state.
            identity: The person for whom the changes were planned.
            cursor: The cursor from the `Link` header of the previous page.
            limit: The most entries of an answer. 1 to 200. `50` unless given.
        """
        return await self._transport.page(
            Call(
                "GET",
                "/plans",
                query={
                    "state": state,
                    "identity": identity,
                    "cursor": cursor,
                    "limit": limit,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            PlanSummary.from_json,
        )

    def list_all(
        self,
        *,
        state: Literal["open", "applied", "discarded", "undone", "expired"] | None = None,
        identity: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncIterator[PlanSummary]:
        """Like `list`, but item by item through all pages."""
        return walk_by_cursor_async(
            lambda page_cursor: self.list(
                state=state,
                identity=identity,
                cursor=page_cursor,
                limit=limit,
                timeout=timeout,
                max_retries=max_retries,
            ),
            cursor,
        )

    async def get(
        self,
        id: int,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Plan:
        """Read a plan with everything that it changes.

        Needs a key with the scope `read`.
        """
        return await self._transport.json(
            Call(
                "GET",
                f"/plans/{segment(id)}",
                timeout=timeout,
                max_retries=max_retries,
            ),
            Plan.from_json,
        )

    async def apply(
        self,
        id: int,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Plan:
        """Apply a plan: all of it, or nothing if something was changed since or an operation is refused.

        Needs a key with the scope `create`.
        """
        return await self._transport.json(
            Call(
                "POST",
                f"/plans/{segment(id)}/apply",
                timeout=timeout,
                max_retries=max_retries,
            ),
            Plan.from_json,
        )

    async def discard(
        self,
        id: int,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Plan:
        """Discard a plan, which can then no longer be applied.

        Needs a key with the scope `create`.
        """
        return await self._transport.json(
            Call(
                "POST",
                f"/plans/{segment(id)}/discard",
                timeout=timeout,
                max_retries=max_retries,
            ),
            Plan.from_json,
        )

    async def undo(
        self,
        id: int,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> PlanUndo:
        """Undo an applied plan where nothing was changed since, and list what stays.

        Needs a key with the scope `create`.
        """
        return await self._transport.json(
            Call(
                "POST",
                f"/plans/{segment(id)}/undo",
                timeout=timeout,
                max_retries=max_retries,
            ),
            PlanUndo.from_json,
        )
