"""Made from the OpenAPI document by `npm run sdks`; changes made here are lost."""

from __future__ import annotations

from typing import Literal

from .._call import Call, segment
from .._transport import AsyncTransport, Transport
from .models import Explanation, Link, Range, RemoveSlugBySlugResult, Slug


class Slugs:
    """`client.slugs`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def explain(
        self,
        slug: str,
        *,
        at: int | None = None,
        user_agent: str | None = None,
        country: str | None = None,
        language: str | None = None,
        referrer: str | None = None,
        query: str | None = None,
        path: str | None = None,
        method: Literal["GET", "HEAD", "POST"] | None = None,
        domain: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Explanation:
        """Explain where a slug leads a visitor, without counting a click.

        Needs a key with the scope `read`.

        Args:
            at: Unix seconds; now by default.
            user_agent: The `User-Agent` of the visitor; empty for none. At most 2048 characters.
            country: The country of the visitor; empty for an unknown one. At most 2 characters.
            language: The `Accept-Language` of the visitor, such as `sv` or `pt-BR,en;q=0.8`; empty for none. At most 2048 characters.
            referrer: The page that the visitor comes from; empty for none. At most 2048 characters.
            query: The query of the short URL, such as `utm_source=mail`; none by default. At most 8192 characters.
            path: What follows the slug, such as `123` of `/pr/123`, for a link with `parameters`. At most 8192 characters.
            method: GET by default; POST enters the right password, or presses the button of a link with a limit.
            domain: Host of a short domain; the default domain if it is left out. At most 253 characters.
        """
        return self._transport.json(
            Call(
                "GET",
                f"/slugs/{segment(slug)}/explain",
                query={
                    "at": at,
                    "user_agent": user_agent,
                    "country": country,
                    "language": language,
                    "referrer": referrer,
                    "query": query,
                    "path": path,
                    "method": method,
                    "domain": domain,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Explanation.from_json,
        )

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
        domain: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Link:
        """Read the link of a slug, enabled or disabled.

        Needs a key with the scope `read`.

        Args:
            domain: Host of a short domain; the default domain if it is left out. At most 253 characters.
        """
        return self._transport.json(
            Call(
                "GET",
                f"/slugs/{segment(slug)}",
                query={
                    "range": range,
                    "domain": domain,
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
        domain: str | None = None,
        force: bool | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> RemoveSlugBySlugResult:
        """Remove a custom slug, which becomes available again.

        Needs a key with the scope `create`.

        Args:
            domain: Host of a short domain; the default domain if it is left out. At most 253 characters.
            force: Delete even if there are clicks, and delete them too.
        """
        return self._transport.json(
            Call(
                "DELETE",
                f"/slugs/{segment(slug)}",
                query={
                    "domain": domain,
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
        domain: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Slug:
        """Disable a slug, which stays taken.

        Needs a key with the scope `create`.

        Args:
            domain: Host of a short domain; the default domain if it is left out. At most 253 characters.
        """
        return self._transport.json(
            Call(
                "POST",
                f"/slugs/{segment(slug)}/disable",
                query={
                    "domain": domain,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Slug.from_json,
        )

    def enable(
        self,
        slug: str,
        *,
        domain: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Slug:
        """Enable a slug, which does not become primary.

        Needs a key with the scope `create`.

        Args:
            domain: Host of a short domain; the default domain if it is left out. At most 253 characters.
        """
        return self._transport.json(
            Call(
                "POST",
                f"/slugs/{segment(slug)}/enable",
                query={
                    "domain": domain,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Slug.from_json,
        )

    def set_primary(
        self,
        slug: str,
        *,
        domain: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Link:
        """Make a slug primary: displayed, and encoded in QR codes.

        Needs a key with the scope `create`.

        Args:
            domain: Host of a short domain; the default domain if it is left out. At most 253 characters.
        """
        return self._transport.json(
            Call(
                "POST",
                f"/slugs/{segment(slug)}/primary",
                query={
                    "domain": domain,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Link.from_json,
        )


class AsyncSlugs:
    """`client.slugs`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def explain(
        self,
        slug: str,
        *,
        at: int | None = None,
        user_agent: str | None = None,
        country: str | None = None,
        language: str | None = None,
        referrer: str | None = None,
        query: str | None = None,
        path: str | None = None,
        method: Literal["GET", "HEAD", "POST"] | None = None,
        domain: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Explanation:
        """Explain where a slug leads a visitor, without counting a click.

        Needs a key with the scope `read`.

        Args:
            at: Unix seconds; now by default.
            user_agent: The `User-Agent` of the visitor; empty for none. At most 2048 characters.
            country: The country of the visitor; empty for an unknown one. At most 2 characters.
            language: The `Accept-Language` of the visitor, such as `sv` or `pt-BR,en;q=0.8`; empty for none. At most 2048 characters.
            referrer: The page that the visitor comes from; empty for none. At most 2048 characters.
            query: The query of the short URL, such as `utm_source=mail`; none by default. At most 8192 characters.
            path: What follows the slug, such as `123` of `/pr/123`, for a link with `parameters`. At most 8192 characters.
            method: GET by default; POST enters the right password, or presses the button of a link with a limit.
            domain: Host of a short domain; the default domain if it is left out. At most 253 characters.
        """
        return await self._transport.json(
            Call(
                "GET",
                f"/slugs/{segment(slug)}/explain",
                query={
                    "at": at,
                    "user_agent": user_agent,
                    "country": country,
                    "language": language,
                    "referrer": referrer,
                    "query": query,
                    "path": path,
                    "method": method,
                    "domain": domain,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Explanation.from_json,
        )

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
        domain: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Link:
        """Read the link of a slug, enabled or disabled.

        Needs a key with the scope `read`.

        Args:
            domain: Host of a short domain; the default domain if it is left out. At most 253 characters.
        """
        return await self._transport.json(
            Call(
                "GET",
                f"/slugs/{segment(slug)}",
                query={
                    "range": range,
                    "domain": domain,
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
        domain: str | None = None,
        force: bool | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> RemoveSlugBySlugResult:
        """Remove a custom slug, which becomes available again.

        Needs a key with the scope `create`.

        Args:
            domain: Host of a short domain; the default domain if it is left out. At most 253 characters.
            force: Delete even if there are clicks, and delete them too.
        """
        return await self._transport.json(
            Call(
                "DELETE",
                f"/slugs/{segment(slug)}",
                query={
                    "domain": domain,
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
        domain: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Slug:
        """Disable a slug, which stays taken.

        Needs a key with the scope `create`.

        Args:
            domain: Host of a short domain; the default domain if it is left out. At most 253 characters.
        """
        return await self._transport.json(
            Call(
                "POST",
                f"/slugs/{segment(slug)}/disable",
                query={
                    "domain": domain,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Slug.from_json,
        )

    async def enable(
        self,
        slug: str,
        *,
        domain: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Slug:
        """Enable a slug, which does not become primary.

        Needs a key with the scope `create`.

        Args:
            domain: Host of a short domain; the default domain if it is left out. At most 253 characters.
        """
        return await self._transport.json(
            Call(
                "POST",
                f"/slugs/{segment(slug)}/enable",
                query={
                    "domain": domain,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Slug.from_json,
        )

    async def set_primary(
        self,
        slug: str,
        *,
        domain: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Link:
        """Make a slug primary: displayed, and encoded in QR codes.

        Needs a key with the scope `create`.

        Args:
            domain: Host of a short domain; the default domain if it is left out. At most 253 characters.
        """
        return await self._transport.json(
            Call(
                "POST",
                f"/slugs/{segment(slug)}/primary",
                query={
                    "domain": domain,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Link.from_json,
        )
