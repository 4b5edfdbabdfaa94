"""Made from the OpenAPI document by `npm run sdks`; changes made here are lost."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Literal

from .._call import OMITTED, Call, Omitted, segment
from .._paging import (
    Page,
    walk_by_cursor,
    walk_by_cursor_async,
    walk_by_offset,
    walk_by_offset_async,
)
from .._transport import AsyncTransport, Transport
from .models import (
    AddLinkToBundleResult,
    Breakdown,
    Bundle,
    BundleStats,
    BundleWithSummary,
    DeleteBundleResult,
    Link,
    NameCount,
    Range,
    RemoveLinkFromBundleResult,
)


class Bundles:
    """`client.bundles`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        archived: Literal["1", "true", "only", "all"] | None = None,
        range: Range | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[BundleWithSummary]:
        """List the bundles of all users, newest first.

        Needs a key with the scope `read`.

        Args:
            limit: The most entries of an answer. 1 to 1000. `1000` unless given.
            cursor: The cursor from the `Link` header of the previous page.
            archived: `true`, `1` or `only` for archived bundles, `all` for all bundles; active bundles by default.
            range: `all` unless given.
        """
        return self._transport.page(
            Call(
                "GET",
                "/bundles",
                query={
                    "limit": limit,
                    "cursor": cursor,
                    "archived": archived,
                    "range": range,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            BundleWithSummary.from_json,
        )

    def list_all(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        archived: Literal["1", "true", "only", "all"] | None = None,
        range: Range | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Iterator[BundleWithSummary]:
        """Like `list`, but item by item through all pages."""
        return walk_by_cursor(
            lambda page_cursor: self.list(
                limit=limit,
                cursor=page_cursor,
                archived=archived,
                range=range,
                timeout=timeout,
                max_retries=max_retries,
            ),
            cursor,
        )

    def create(
        self,
        *,
        name: str,
        description: str | None | Omitted = OMITTED,
        icon: str | None | Omitted = OMITTED,
        accent: Literal["orange", "red", "green", "blue", "purple"] | Omitted = OMITTED,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Bundle:
        """Create a bundle.

        Needs a key with the scope `create`.

        Args:
            name: At most 120 characters.
            description: At most 2000 characters.
            icon: At most 64 characters.
            accent: `orange` unless given.
        """
        return self._transport.json(
            Call(
                "POST",
                "/bundles",
                body={
                    "name": name,
                    "description": description,
                    "icon": icon,
                    "accent": accent,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Bundle.from_json,
        )

    def get(
        self,
        id: int,
        *,
        range: Range | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> BundleWithSummary:
        """Read a bundle with its statistics, archived or not.

        Needs a key with the scope `read`.

        Args:
            range: `all` unless given.
        """
        return self._transport.json(
            Call(
                "GET",
                f"/bundles/{segment(id)}",
                query={
                    "range": range,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            BundleWithSummary.from_json,
        )

    def update(
        self,
        id: int,
        *,
        name: str | Omitted = OMITTED,
        description: str | None | Omitted = OMITTED,
        icon: str | None | Omitted = OMITTED,
        accent: Literal["orange", "red", "green", "blue", "purple"] | Omitted = OMITTED,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Bundle:
        """Change a bundle; omitted fields keep their values.

        Needs a key with the scope `create`.

        Args:
            name: At most 120 characters.
            description: At most 2000 characters.
            icon: At most 64 characters.
        """
        return self._transport.json(
            Call(
                "PUT",
                f"/bundles/{segment(id)}",
                body={
                    "name": name,
                    "description": description,
                    "icon": icon,
                    "accent": accent,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Bundle.from_json,
        )

    def delete(
        self,
        id: int,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> DeleteBundleResult:
        """Delete a bundle and keep its links.

        Needs a key with the scope `create`.
        """
        return self._transport.json(
            Call(
                "DELETE",
                f"/bundles/{segment(id)}",
                timeout=timeout,
                max_retries=max_retries,
            ),
            DeleteBundleResult.from_json,
        )

    def archive(
        self,
        id: int,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Bundle:
        """Hide a bundle from the default list.

        Needs a key with the scope `create`.
        """
        return self._transport.json(
            Call(
                "POST",
                f"/bundles/{segment(id)}/archive",
                timeout=timeout,
                max_retries=max_retries,
            ),
            Bundle.from_json,
        )

    def unarchive(
        self,
        id: int,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Bundle:
        """Show a bundle in the default list again.

        Needs a key with the scope `create`.
        """
        return self._transport.json(
            Call(
                "POST",
                f"/bundles/{segment(id)}/unarchive",
                timeout=timeout,
                max_retries=max_retries,
            ),
            Bundle.from_json,
        )

    def list_links(
        self,
        id: int,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[Link]:
        """List the links of a bundle, newest first, with their all-time clicks.

        Needs a key with the scope `read`.

        Args:
            limit: The most entries of an answer. 1 to 1000. `1000` unless given.
            cursor: The cursor from the `Link` header of the previous page.
        """
        return self._transport.page(
            Call(
                "GET",
                f"/bundles/{segment(id)}/links",
                query={
                    "limit": limit,
                    "cursor": cursor,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Link.from_json,
        )

    def list_all_links(
        self,
        id: int,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Iterator[Link]:
        """Like `list_links`, but item by item through all pages."""
        return walk_by_cursor(
            lambda page_cursor: self.list_links(
                id,
                limit=limit,
                cursor=page_cursor,
                timeout=timeout,
                max_retries=max_retries,
            ),
            cursor,
        )

    def add_link(
        self,
        id: int,
        *,
        link_id: int,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AddLinkToBundleResult:
        """Add any link to any bundle.

        Needs a key with the scope `create`.

        Args:
            link_id: The `id` of a link.
        """
        return self._transport.json(
            Call(
                "POST",
                f"/bundles/{segment(id)}/links",
                body={
                    "link_id": link_id,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            AddLinkToBundleResult.from_json,
        )

    def remove_link(
        self,
        id: int,
        link_id: int,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> RemoveLinkFromBundleResult:
        """Remove a link from a bundle and keep the link.

        Needs a key with the scope `create`.
        """
        return self._transport.json(
            Call(
                "DELETE",
                f"/bundles/{segment(id)}/links/{segment(link_id)}",
                timeout=timeout,
                max_retries=max_retries,
            ),
            RemoveLinkFromBundleResult.from_json,
        )

    def transfer(
        self,
        id: int,
        *,
        owner: str,
        confirm: bool | Omitted = OMITTED,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Bundle:
        """Make another identity the owner of a bundle; its links keep their owners.

        Needs a key with the scope `create`.

        Args:
            owner: The identity of the new owner. At most 320 characters.
            confirm: `true` if the new owner has not created anything on this instance yet.
        """
        return self._transport.json(
            Call(
                "POST",
                f"/bundles/{segment(id)}/transfer",
                body={
                    "owner": owner,
                    "confirm": confirm,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Bundle.from_json,
        )

    def analytics(
        self,
        id: int,
        *,
        range: Range | None = None,
        tz: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> BundleStats:
        """Analytics of a bundle: visitors, countries, referrers, devices, channels.

        Needs a key with the scope `read`.

        Args:
            range: `all` unless given.
            tz: Time zone whose calendar groups the clicks; it never shifts the window. `UTC` unless given.
        """
        return self._transport.json(
            Call(
                "GET",
                f"/bundles/{segment(id)}/analytics",
                query={
                    "range": range,
                    "tz": tz,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            BundleStats.from_json,
        )

    def breakdown(
        self,
        id: int,
        *,
        range: Range | None = None,
        dimension: Literal[
            "countries",
            "referrers",
            "referrer_hosts",
            "os",
            "browsers",
            "utm_sources",
            "utm_mediums",
            "utm_campaigns",
            "devices",
            "link_modes",
            "channels",
            "variant",
        ],
        offset: int | None = None,
        limit: int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Breakdown:
        """One breakdown of a bundle in full, with pagination.

        Needs a key with the scope `read`.

        Args:
            range: `all` unless given.
            dimension: What to group the clicks by.
            offset: Entries to leave out from the beginning. `0` unless given.
            limit: The most entries of an answer. 1 to 100. `10` unless given.
        """
        return self._transport.json(
            Call(
                "GET",
                f"/bundles/{segment(id)}/breakdown",
                query={
                    "range": range,
                    "dimension": dimension,
                    "offset": offset,
                    "limit": limit,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Breakdown.from_json,
        )

    def breakdown_all(
        self,
        id: int,
        *,
        range: Range | None = None,
        dimension: Literal[
            "countries",
            "referrers",
            "referrer_hosts",
            "os",
            "browsers",
            "utm_sources",
            "utm_mediums",
            "utm_campaigns",
            "devices",
            "link_modes",
            "channels",
            "variant",
        ],
        offset: int | None = None,
        limit: int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Iterator[NameCount]:
        """Like `breakdown`, but item by item through all pages."""
        return walk_by_offset(
            lambda page_offset: self.breakdown(
                id,
                range=range,
                dimension=dimension,
                offset=page_offset,
                limit=limit,
                timeout=timeout,
                max_retries=max_retries,
            ),
            offset,
        )


class AsyncBundles:
    """`client.bundles`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        archived: Literal["1", "true", "only", "all"] | None = None,
        range: Range | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[BundleWithSummary]:
        """List the bundles of all users, newest first.

        Needs a key with the scope `read`.

        Args:
            limit: The most entries of an answer. 1 to 1000. `1000` unless given.
            cursor: The cursor from the `Link` header of the previous page.
            archived: `true`, `1` or `only` for archived bundles, `all` for all bundles; active bundles by default.
            range: `all` unless given.
        """
        return await self._transport.page(
            Call(
                "GET",
                "/bundles",
                query={
                    "limit": limit,
                    "cursor": cursor,
                    "archived": archived,
                    "range": range,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            BundleWithSummary.from_json,
        )

    def list_all(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        archived: Literal["1", "true", "only", "all"] | None = None,
        range: Range | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncIterator[BundleWithSummary]:
        """Like `list`, but item by item through all pages."""
        return walk_by_cursor_async(
            lambda page_cursor: self.list(
                limit=limit,
                cursor=page_cursor,
                archived=archived,
                range=range,
                timeout=timeout,
                max_retries=max_retries,
            ),
            cursor,
        )

    async def create(
        self,
        *,
        name: str,
        description: str | None | Omitted = OMITTED,
        icon: str | None | Omitted = OMITTED,
        accent: Literal["orange", "red", "green", "blue", "purple"] | Omitted = OMITTED,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Bundle:
        """Create a bundle.

        Needs a key with the scope `create`.

        Args:
            name: At most 120 characters.
            description: At most 2000 characters.
            icon: At most 64 characters.
            accent: `orange` unless given.
        """
        return await self._transport.json(
            Call(
                "POST",
                "/bundles",
                body={
                    "name": name,
                    "description": description,
                    "icon": icon,
                    "accent": accent,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Bundle.from_json,
        )

    async def get(
        self,
        id: int,
        *,
        range: Range | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> BundleWithSummary:
        """Read a bundle with its statistics, archived or not.

        Needs a key with the scope `read`.

        Args:
            range: `all` unless given.
        """
        return await self._transport.json(
            Call(
                "GET",
                f"/bundles/{segment(id)}",
                query={
                    "range": range,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            BundleWithSummary.from_json,
        )

    async def update(
        self,
        id: int,
        *,
        name: str | Omitted = OMITTED,
        description: str | None | Omitted = OMITTED,
        icon: str | None | Omitted = OMITTED,
        accent: Literal["orange", "red", "green", "blue", "purple"] | Omitted = OMITTED,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Bundle:
        """Change a bundle; omitted fields keep their values.

        Needs a key with the scope `create`.

        Args:
            name: At most 120 characters.
            description: At most 2000 characters.
            icon: At most 64 characters.
        """
        return await self._transport.json(
            Call(
                "PUT",
                f"/bundles/{segment(id)}",
                body={
                    "name": name,
                    "description": description,
                    "icon": icon,
                    "accent": accent,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Bundle.from_json,
        )

    async def delete(
        self,
        id: int,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> DeleteBundleResult:
        """Delete a bundle and keep its links.

        Needs a key with the scope `create`.
        """
        return await self._transport.json(
            Call(
                "DELETE",
                f"/bundles/{segment(id)}",
                timeout=timeout,
                max_retries=max_retries,
            ),
            DeleteBundleResult.from_json,
        )

    async def archive(
        self,
        id: int,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Bundle:
        """Hide a bundle from the default list.

        Needs a key with the scope `create`.
        """
        return await self._transport.json(
            Call(
                "POST",
                f"/bundles/{segment(id)}/archive",
                timeout=timeout,
                max_retries=max_retries,
            ),
            Bundle.from_json,
        )

    async def unarchive(
        self,
        id: int,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Bundle:
        """Show a bundle in the default list again.

        Needs a key with the scope `create`.
        """
        return await self._transport.json(
            Call(
                "POST",
                f"/bundles/{segment(id)}/unarchive",
                timeout=timeout,
                max_retries=max_retries,
            ),
            Bundle.from_json,
        )

    async def list_links(
        self,
        id: int,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[Link]:
        """List the links of a bundle, newest first, with their all-time clicks.

        Needs a key with the scope `read`.

        Args:
            limit: The most entries of an answer. 1 to 1000. `1000` unless given.
            cursor: The cursor from the `Link` header of the previous page.
        """
        return await self._transport.page(
            Call(
                "GET",
                f"/bundles/{segment(id)}/links",
                query={
                    "limit": limit,
                    "cursor": cursor,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Link.from_json,
        )

    def list_all_links(
        self,
        id: int,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncIterator[Link]:
        """Like `list_links`, but item by item through all pages."""
        return walk_by_cursor_async(
            lambda page_cursor: self.list_links(
                id,
                limit=limit,
                cursor=page_cursor,
                timeout=timeout,
                max_retries=max_retries,
            ),
            cursor,
        )

    async def add_link(
        self,
        id: int,
        *,
        link_id: int,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AddLinkToBundleResult:
        """Add any link to any bundle.

        Needs a key with the scope `create`.

        Args:
            link_id: The `id` of a link.
        """
        return await self._transport.json(
            Call(
                "POST",
                f"/bundles/{segment(id)}/links",
                body={
                    "link_id": link_id,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            AddLinkToBundleResult.from_json,
        )

    async def remove_link(
        self,
        id: int,
        link_id: int,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> RemoveLinkFromBundleResult:
        """Remove a link from a bundle and keep the link.

        Needs a key with the scope `create`.
        """
        return await self._transport.json(
            Call(
                "DELETE",
                f"/bundles/{segment(id)}/links/{segment(link_id)}",
                timeout=timeout,
                max_retries=max_retries,
            ),
            RemoveLinkFromBundleResult.from_json,
        )

    async def transfer(
        self,
        id: int,
        *,
        owner: str,
        confirm: bool | Omitted = OMITTED,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Bundle:
        """Make another identity the owner of a bundle; its links keep their owners.

        Needs a key with the scope `create`.

        Args:
            owner: The identity of the new owner. At most 320 characters.
            confirm: `true` if the new owner has not created anything on this instance yet.
        """
        return await self._transport.json(
            Call(
                "POST",
                f"/bundles/{segment(id)}/transfer",
                body={
                    "owner": owner,
                    "confirm": confirm,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Bundle.from_json,
        )

    async def analytics(
        self,
        id: int,
        *,
        range: Range | None = None,
        tz: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> BundleStats:
        """Analytics of a bundle: visitors, countries, referrers, devices, channels.

        Needs a key with the scope `read`.

        Args:
            range: `all` unless given.
            tz: Time zone whose calendar groups the clicks; it never shifts the window. `UTC` unless given.
        """
        return await self._transport.json(
            Call(
                "GET",
                f"/bundles/{segment(id)}/analytics",
                query={
                    "range": range,
                    "tz": tz,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            BundleStats.from_json,
        )

    async def breakdown(
        self,
        id: int,
        *,
        range: Range | None = None,
        dimension: Literal[
            "countries",
            "referrers",
            "referrer_hosts",
            "os",
            "browsers",
            "utm_sources",
            "utm_mediums",
            "utm_campaigns",
            "devices",
            "link_modes",
            "channels",
            "variant",
        ],
        offset: int | None = None,
        limit: int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Breakdown:
        """One breakdown of a bundle in full, with pagination.

        Needs a key with the scope `read`.

        Args:
            range: `all` unless given.
            dimension: What to group the clicks by.
            offset: Entries to leave out from the beginning. `0` unless given.
            limit: The most entries of an answer. 1 to 100. `10` unless given.
        """
        return await self._transport.json(
            Call(
                "GET",
                f"/bundles/{segment(id)}/breakdown",
                query={
                    "range": range,
                    "dimension": dimension,
                    "offset": offset,
                    "limit": limit,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Breakdown.from_json,
        )

    def breakdown_all(
        self,
        id: int,
        *,
        range: Range | None = None,
        dimension: Literal[
            "countries",
            "referrers",
            "referrer_hosts",
            "os",
            "browsers",
            "utm_sources",
            "utm_mediums",
            "utm_campaigns",
            "devices",
            "link_modes",
            "channels",
            "variant",
        ],
        offset: int | None = None,
        limit: int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncIterator[NameCount]:
        """Like `breakdown`, but item by item through all pages."""
        return walk_by_offset_async(
            lambda page_offset: self.breakdown(
                id,
                range=range,
                dimension=dimension,
                offset=page_offset,
                limit=limit,
                timeout=timeout,
                max_retries=max_retries,
            ),
            offset,
        )
