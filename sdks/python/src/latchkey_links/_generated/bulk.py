"""Made from the OpenAPI document by `npm run sdks`; changes made here are lost."""

from __future__ import annotations

from typing import Literal

from .._call import OMITTED, Call, Omitted
from .._transport import AsyncTransport, Transport
from .models import BulkChangesSet, BulkResults, LinkFilter, NewLink


class Bulk:
    """`client.bulk`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create_links(
        self,
        *,
        mode: Literal["each", "all"] | Omitted = OMITTED,
        items: list[NewLink],
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> BulkResults:
        """Shorten up to 1000 URLs.

        Needs a key with the scope `create`.

        Args:
            mode: `each`: an item that fails leaves the others. `all`: if one fails, nothing is created, and the error names the item. `each` unless given.
            items: Links, each as the body of `POST /links`. At least 1. At most 1000.
        """
        return self._transport.json(
            Call(
                "POST",
                "/bulk/links",
                body={
                    "mode": mode,
                    "items": items,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            BulkResults.from_json,
        )

    def update_links(
        self,
        *,
        ids: list[int] | Omitted = OMITTED,
        filter: LinkFilter | Omitted = OMITTED,
        set: BulkChangesSet,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> BulkResults:
        """Change up to 1000 links, or all that match a filter.

        Needs a key with the scope `create`.

        Args:
            ids: Either these links … At least 1. At most 1000.
            filter: … or those that match, newest first, at most 5000.
        """
        return self._transport.json(
            Call(
                "PATCH",
                "/bulk/links",
                body={
                    "ids": ids,
                    "filter": filter,
                    "set": set,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            BulkResults.from_json,
        )


class AsyncBulk:
    """`client.bulk`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create_links(
        self,
        *,
        mode: Literal["each", "all"] | Omitted = OMITTED,
        items: list[NewLink],
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> BulkResults:
        """Shorten up to 1000 URLs.

        Needs a key with the scope `create`.

        Args:
            mode: `each`: an item that fails leaves the others. `all`: if one fails, nothing is created, and the error names the item. `each` unless given.
            items: Links, each as the body of `POST /links`. At least 1. At most 1000.
        """
        return await self._transport.json(
            Call(
                "POST",
                "/bulk/links",
                body={
                    "mode": mode,
                    "items": items,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            BulkResults.from_json,
        )

    async def update_links(
        self,
        *,
        ids: list[int] | Omitted = OMITTED,
        filter: LinkFilter | Omitted = OMITTED,
        set: BulkChangesSet,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> BulkResults:
        """Change up to 1000 links, or all that match a filter.

        Needs a key with the scope `create`.

        Args:
            ids: Either these links … At least 1. At most 1000.
            filter: … or those that match, newest first, at most 5000.
        """
        return await self._transport.json(
            Call(
                "PATCH",
                "/bulk/links",
                body={
                    "ids": ids,
                    "filter": filter,
                    "set": set,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            BulkResults.from_json,
        )
