"""Made from the OpenAPI document by `npm run sdks`; changes made here are lost."""

from __future__ import annotations

import builtins
from typing import Any, Literal

from .._call import OMITTED, Call, Omitted, many, segment
from .._transport import AsyncTransport, Transport
from .models import Domain, Link


class Domains:
    """`client.domains`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create_link(
        self,
        host: str,
        *,
        url: str,
        slug: str | Omitted = OMITTED,
        custom_slug: str | Omitted = OMITTED,
        label: str | None | Omitted = OMITTED,
        slug_length: int | Omitted = OMITTED,
        expires_at: int | None | Omitted = OMITTED,
        allow_duplicate: bool | Omitted = OMITTED,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Link:
        """Create a link on a short domain.

        Needs a key with the scope `create`.

        Args:
            url: Destination of the link: an absolute http or https URL. At most 2048 characters.
            slug: Custom slug. Upper-case letters are lower-cased. At most 128 characters.
            custom_slug: Same as `slug`. At most 128 characters.
            label: Format characters other than joiners are removed. At most 500 characters.
            slug_length: Length of the automatic slug. 3 to 128.
            expires_at: Unix seconds.
            allow_duplicate: Create a new link even if one exists for the URL.
        """
        return self._transport.json(
            Call(
                "POST",
                f"/domains/{segment(host)}/links",
                body={
                    "url": url,
                    "slug": slug,
                    "custom_slug": custom_slug,
                    "label": label,
                    "slug_length": slug_length,
                    "expires_at": expires_at,
                    "allow_duplicate": allow_duplicate,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Link.from_json,
        )

    def list(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> builtins.list[Domain]:
        """List the short domains; the default domain comes first.

        Needs a key with the scope `read`.
        """
        return self._transport.json(
            Call(
                "GET",
                "/domains",
                timeout=timeout,
                max_retries=max_retries,
            ),
            lambda data: many(data, Domain.from_json),
        )

    def get(
        self,
        host: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Domain:
        """Read the settings of a short domain.

        Needs a key with the scope `read`.
        """
        return self._transport.json(
            Call(
                "GET",
                f"/domains/{segment(host)}",
                timeout=timeout,
                max_retries=max_retries,
            ),
            Domain.from_json,
        )

    def set(
        self,
        host: str,
        *,
        root_url: str | None | Omitted = OMITTED,
        not_found_url: str | None | Omitted = OMITTED,
        status: Literal[301, 302, 307, 308] | None | Omitted = OMITTED,
        robots: Literal["disallow", "previews", "allow"] | None | Omitted = OMITTED,
        alias_of: str | None | Omitted = OMITTED,
        well_known: dict[str, Any] | Omitted = OMITTED,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Domain:
        """Replace the settings of a short domain; for administrators of the instance.

        Needs a key with the scope `create`.

        Args:
            root_url: Where `/` leads visitors; null for the landing page. At most 2048 characters. `null` unless given.
            not_found_url: Where short URLs that lead nowhere redirect; null for the 404 page. At most 2048 characters. `null` unless given.
            status: HTTP status of redirects; null for the one in the settings of the instance. `null` unless given.
            robots: Robots that `robots.txt` admits to short URLs: none, those that show previews of links, or all; null for the value in the settings of the instance. `null` unless given.
            alias_of: A domain with whose slugs this one answers as well; its own slugs win. At most 253 characters. `null` unless given.
            well_known: Files below `/.well-known/`, by their names. `{}` unless given.
        """
        return self._transport.json(
            Call(
                "PUT",
                f"/domains/{segment(host)}",
                body={
                    "root_url": root_url,
                    "not_found_url": not_found_url,
                    "status": status,
                    "robots": robots,
                    "alias_of": alias_of,
                    "well_known": well_known,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Domain.from_json,
        )


class AsyncDomains:
    """`client.domains`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create_link(
        self,
        host: str,
        *,
        url: str,
        slug: str | Omitted = OMITTED,
        custom_slug: str | Omitted = OMITTED,
        label: str | None | Omitted = OMITTED,
        slug_length: int | Omitted = OMITTED,
        expires_at: int | None | Omitted = OMITTED,
        allow_duplicate: bool | Omitted = OMITTED,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Link:
        """Create a link on a short domain.

        Needs a key with the scope `create`.

        Args:
            url: Destination of the link: an absolute http or https URL. At most 2048 characters.
            slug: Custom slug. Upper-case letters are lower-cased. At most 128 characters.
            custom_slug: Same as `slug`. At most 128 characters.
            label: Format characters other than joiners are removed. At most 500 characters.
            slug_length: Length of the automatic slug. 3 to 128.
            expires_at: Unix seconds.
            allow_duplicate: Create a new link even if one exists for the URL.
        """
        return await self._transport.json(
            Call(
                "POST",
                f"/domains/{segment(host)}/links",
                body={
                    "url": url,
                    "slug": slug,
                    "custom_slug": custom_slug,
                    "label": label,
                    "slug_length": slug_length,
                    "expires_at": expires_at,
                    "allow_duplicate": allow_duplicate,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Link.from_json,
        )

    async def list(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> builtins.list[Domain]:
        """List the short domains; the default domain comes first.

        Needs a key with the scope `read`.
        """
        return await self._transport.json(
            Call(
                "GET",
                "/domains",
                timeout=timeout,
                max_retries=max_retries,
            ),
            lambda data: many(data, Domain.from_json),
        )

    async def get(
        self,
        host: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Domain:
        """Read the settings of a short domain.

        Needs a key with the scope `read`.
        """
        return await self._transport.json(
            Call(
                "GET",
                f"/domains/{segment(host)}",
                timeout=timeout,
                max_retries=max_retries,
            ),
            Domain.from_json,
        )

    async def set(
        self,
        host: str,
        *,
        root_url: str | None | Omitted = OMITTED,
        not_found_url: str | None | Omitted = OMITTED,
        status: Literal[301, 302, 307, 308] | None | Omitted = OMITTED,
        robots: Literal["disallow", "previews", "allow"] | None | Omitted = OMITTED,
        alias_of: str | None | Omitted = OMITTED,
        well_known: dict[str, Any] | Omitted = OMITTED,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Domain:
        """Replace the settings of a short domain; for administrators of the instance.

        Needs a key with the scope `create`.

        Args:
            root_url: Where `/` leads visitors; null for the landing page. At most 2048 characters. `null` unless given.
            not_found_url: Where short URLs that lead nowhere redirect; null for the 404 page. At most 2048 characters. `null` unless given.
            status: HTTP status of redirects; null for the one in the settings of the instance. `null` unless given.
            robots: Robots that `robots.txt` admits to short URLs: none, those that show previews of links, or all; null for the value in the settings of the instance. `null` unless given.
            alias_of: A domain with whose slugs this one answers as well; its own slugs win. At most 253 characters. `null` unless given.
            well_known: Files below `/.well-known/`, by their names. `{}` unless given.
        """
        return await self._transport.json(
            Call(
                "PUT",
                f"/domains/{segment(host)}",
                body={
                    "root_url": root_url,
                    "not_found_url": not_found_url,
                    "status": status,
                    "robots": robots,
                    "alias_of": alias_of,
                    "well_known": well_known,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Domain.from_json,
        )
