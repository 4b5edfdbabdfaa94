"""Made from the OpenAPI document by `npm run sdks`; changes made here are lost."""

from __future__ import annotations

from .._call import Call
from .._transport import AsyncTransport, Transport
from .models import EventPage


class Events:
    """`client.events`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        after: int | None = None,
        types: str | None = None,
        wait: int | None = None,
        limit: int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> EventPage:
        """List events in the order in which they happened, and wait for the next ones.

        Needs a key with the scope `read`.

        Args:
            after: Events after this one: 0 for all that are stored; by default those that follow.
            types: Types, separated by commas; all by default but `link.imported`, which stands for all that imports change.
            wait: Seconds to wait for an event if there is none. 0 to 25. `0` unless given.
            limit: The most entries of an answer. 1 to 500. `100` unless given.
        """
        return self._transport.json(
            Call(
                "GET",
                "/events",
                query={
                    "after": after,
                    "types": types,
                    "wait": wait,
                    "limit": limit,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            EventPage.from_json,
        )


class AsyncEvents:
    """`client.events`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list(
        self,
        *,
        after: int | None = None,
        types: str | None = None,
        wait: int | None = None,
        limit: int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> EventPage:
        """List events in the order in which they happened, and wait for the next ones.

        Needs a key with the scope `read`.

        Args:
            after: Events after this one: 0 for all that are stored; by default those that follow.
            types: Types, separated by commas; all by default but `link.imported`, which stands for all that imports change.
            wait: Seconds to wait for an event if there is none. 0 to 25. `0` unless given.
            limit: The most entries of an answer. 1 to 500. `100` unless given.
        """
        return await self._transport.json(
            Call(
                "GET",
                "/events",
                query={
                    "after": after,
                    "types": types,
                    "wait": wait,
                    "limit": limit,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            EventPage.from_json,
        )
