"""Made from the OpenAPI document by `npm run sdks`; changes made here are lost."""

from __future__ import annotations

from .._call import Call, segment
from .._transport import AsyncTransport, Transport
from .models import Link, Range, RemoveSlugBySlugResult, Slug


class Slugs:
    """`client.slugs`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def add(
        self,
        *,
        link_id: int,
        slug: str,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Slug:
        """Add a custom slug to the link named in the body.

        Needs a key with the scope `create`.

        Args:
            link_id: The `id` of a link.
            slug: Custom slug. Upper-case letters are lower-cased. At most 128 characters.
        """
        return self._transport.json(
            Call(
                "POST",
                "/slugs",
                body={
                    "link_id": link_id,
                    "slug": slug,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Slug.from_json,
        )

    def get_link(
        self,
        slug: str,
        *,
        range: Range | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Link:
        """Read the link of a slug, enabled or disabled.

        Needs a key with the scope `read`.
        """
        return self._transport.json(
            Call(
                "GET",
                f"/slugs/{segment(slug)}",
                query={
                    "range": range,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Link.from_json,
        )

    def remove(
        self,
        slug: str,
        *,
        force: bool | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> RemoveSlugBySlugResult:
        """Remove a custom slug, which becomes available again.

        Needs a key with the scope `create`.

        Args:
            force: Delete even if there are clicks, and delete them too.
        """
        return self._transport.json(
            Call(
                "DELETE",
                f"/slugs/{segment(slug)}",
                query={
                    "force": force,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            RemoveSlugBySlugResult.from_json,
        )

    def disable(
        self,
        slug: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Slug:
        """Disable a slug, which stays taken.

        Needs a key with the scope `create`.
        """
        return self._transport.json(
            Call(
                "POST",
                f"/slugs/{segment(slug)}/disable",
                timeout=timeout,
                max_retries=max_retries,
            ),
            Slug.from_json,
        )

    def enable(
        self,
        slug: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Slug:
        """Enable a slug, which does not become primary.

        Needs a key with the scope `create`.
        """
        return self._transport.json(
            Call(
                "POST",
                f"/slugs/{segment(slug)}/enable",
                timeout=timeout,
                max_retries=max_retries,
            ),
            Slug.from_json,
        )

    def set_primary(
        self,
        slug: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Link:
        """Make a slug primary: displayed, and encoded in QR codes.

        Needs a key with the scope `create`.
        """
        return self._transport.json(
            Call(
                "POST",
                f"/slugs/{segment(slug)}/primary",
                timeout=timeout,
                max_retries=max_retries,
            ),
            Link.from_json,
        )


class AsyncSlugs:
    """`client.slugs`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def add(
        self,
        *,
        link_id: int,
        slug: str,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Slug:
        """Add a custom slug to the link named in the body.

        Needs a key with the scope `create`.

        Args:
            link_id: The `id` of a link.
            slug: Custom slug. Upper-case letters are lower-cased. At most 128 characters.
        """
        return await self._transport.json(
            Call(
                "POST",
                "/slugs",
                body={
                    "link_id": link_id,
                    "slug": slug,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Slug.from_json,
        )

    async def get_link(
        self,
        slug: str,
        *,
        range: Range | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Link:
        """Read the link of a slug, enabled or disabled.

        Needs a key with the scope `read`.
        """
        return await self._transport.json(
            Call(
                "GET",
                f"/slugs/{segment(slug)}",
                query={
                    "range": range,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Link.from_json,
        )

    async def remove(
        self,
        slug: str,
        *,
        force: bool | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> RemoveSlugBySlugResult:
        """Remove a custom slug, which becomes available again.

        Needs a key with the scope `create`.

        Args:
            force: Delete even if there are clicks, and delete them too.
        """
        return await self._transport.json(
            Call(
                "DELETE",
                f"/slugs/{segment(slug)}",
                query={
                    "force": force,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            RemoveSlugBySlugResult.from_json,
        )

    async def disable(
        self,
        slug: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Slug:
        """Disable a slug, which stays taken.

        Needs a key with the scope `create`.
        """
        return await self._transport.json(
            Call(
                "POST",
                f"/slugs/{segment(slug)}/disable",
                timeout=timeout,
                max_retries=max_retries,
            ),
            Slug.from_json,
        )

    async def enable(
        self,
        slug: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Slug:
        """Enable a slug, which does not become primary.

        Needs a key with the scope `create`.
        """
        return await self._transport.json(
            Call(
                "POST",
                f"/slugs/{segment(slug)}/enable",
                timeout=timeout,
                max_retries=max_retries,
            ),
            Slug.from_json,
        )

    async def set_primary(
        self,
        slug: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Link:
        """Make a slug primary: displayed, and encoded in QR codes.

        Needs a key with the scope `create`.
        """
        return await self._transport.json(
            Call(
                "POST",
                f"/slugs/{segment(slug)}/primary",
                timeout=timeout,
                max_retries=max_retries,
            ),
            Link.from_json,
        )
