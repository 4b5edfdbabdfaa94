"""Made from the OpenAPI document by `npm run sdks`; changes made here are lost."""

from __future__ import annotations

import builtins
from collections.abc import AsyncIterator, Iterator
from typing import Literal

from .._call import OMITTED, Call, File, Omitted, many, segment
from .._paging import (
    Page,
    walk_by_cursor,
    walk_by_cursor_async,
    walk_by_offset,
    walk_by_offset_async,
)
from .._transport import AsyncTransport, Transport
from .models import (
    Behaviour,
    BehaviourPart,
    BehaviourRule,
    Breakdown,
    Bundle,
    ClickStats,
    DeleteBehaviourResult,
    DeleteLinkResult,
    Explanation,
    HistoryChange,
    Link,
    NameCount,
    Range,
    RemoveSlugResult,
    Slug,
    TimelineData,
)


class Links:
    """`client.links`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
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
        """Shorten a URL.

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
                "/links",
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
        owner: str | None = None,
        search: str | None = None,
        host: str | None = None,
        domain: str | None = None,
        bundle: int | None = None,
        no_bundle: bool | None = None,
        updated_since: int | None = None,
        unused_since: int | None = None,
        range: Range | None = None,
        status: Literal["active", "disabled", "expired", "all"] | None = None,
        sort: Literal["created", "clicks", "updated", "last_click"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[Link]:
        """List links.

        Needs a key with the scope `read`.

        Args:
            owner: The exact owner; empty for all owners.
            search: Words in any order. Each is a part of the label, URL, owner, a slug or the name of a bundle with the link, in any case. At most 256 characters.
            host: The exact host of the destination. At most 261 characters.
            domain: Host of a short domain; without it, links of all domains. At most 253 characters.
            bundle: The id of a bundle.
            no_bundle: Only links that are in no bundle.
            updated_since: Unix seconds; links that were changed since.
            unused_since: Unix seconds; links that were created before, and not clicked since.
            status: Only links in this state. `all` unless given.
            sort: The newest, most or latest first. `last_click` is by the hour. `created` unless given.
            limit: The most entries of an answer. 1 to 1000. `1000` unless given.
            cursor: The cursor from the `Link` header of the previous page.
        """
        return self._transport.page(
            Call(
                "GET",
                "/links",
                query={
                    "owner": owner,
                    "search": search,
                    "host": host,
                    "domain": domain,
                    "bundle": bundle,
                    "no_bundle": no_bundle,
                    "updated_since": updated_since,
                    "unused_since": unused_since,
                    "range": range,
                    "status": status,
                    "sort": sort,
                    "limit": limit,
                    "cursor": cursor,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Link.from_json,
        )

    def list_all(
        self,
        *,
        owner: str | None = None,
        search: str | None = None,
        host: str | None = None,
        domain: str | None = None,
        bundle: int | None = None,
        no_bundle: bool | None = None,
        updated_since: int | None = None,
        unused_since: int | None = None,
        range: Range | None = None,
        status: Literal["active", "disabled", "expired", "all"] | None = None,
        sort: Literal["created", "clicks", "updated", "last_click"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Iterator[Link]:
        """Like `list`, but item by item through all pages."""
        return walk_by_cursor(
            lambda page_cursor: self.list(
                owner=owner,
                search=search,
                host=host,
                domain=domain,
                bundle=bundle,
                no_bundle=no_bundle,
                updated_since=updated_since,
                unused_since=unused_since,
                range=range,
                status=status,
                sort=sort,
                limit=limit,
                cursor=page_cursor,
                timeout=timeout,
                max_retries=max_retries,
            ),
            cursor,
        )

    def get(
        self,
        id: int,
        *,
        range: Range | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Link:
        """Read a link.

        Needs a key with the scope `read`.
        """
        return self._transport.json(
            Call(
                "GET",
                f"/links/{segment(id)}",
                query={
                    "range": range,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Link.from_json,
        )

    def update(
        self,
        id: int,
        *,
        url: str | Omitted = OMITTED,
        slug: str | Omitted = OMITTED,
        label: str | None | Omitted = OMITTED,
        expires_at: int | None | Omitted = OMITTED,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Link:
        """Change a link; omitted fields keep their values.

        Needs a key with the scope `create`.

        Args:
            url: Destination of the link: an absolute http or https URL. At most 2048 characters.
            slug: Custom slug. Upper-case letters are lower-cased. At most 128 characters.
            label: Format characters other than joiners are removed. At most 500 characters.
            expires_at: Unix seconds.
        """
        return self._transport.json(
            Call(
                "PUT",
                f"/links/{segment(id)}",
                body={
                    "url": url,
                    "slug": slug,
                    "label": label,
                    "expires_at": expires_at,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Link.from_json,
        )

    def delete(
        self,
        id: int,
        *,
        force: bool | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> DeleteLinkResult:
        """Delete a link with its slugs.

        Needs a key with the scope `create`.

        Args:
            force: Delete even if there are clicks, and delete them too.
        """
        return self._transport.json(
            Call(
                "DELETE",
                f"/links/{segment(id)}",
                query={
                    "force": force,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            DeleteLinkResult.from_json,
        )

    def disable(
        self,
        id: int,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Link:
        """Disable a link; its expiry and slugs do not change.

        Needs a key with the scope `create`.
        """
        return self._transport.json(
            Call(
                "POST",
                f"/links/{segment(id)}/disable",
                timeout=timeout,
                max_retries=max_retries,
            ),
            Link.from_json,
        )

    def enable(
        self,
        id: int,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Link:
        """Enable a link.

        Needs a key with the scope `create`.
        """
        return self._transport.json(
            Call(
                "POST",
                f"/links/{segment(id)}/enable",
                timeout=timeout,
                max_retries=max_retries,
            ),
            Link.from_json,
        )

    def get_behaviour(
        self,
        id: int,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Behaviour:
        """Read where a link leads, for whom and when.

        Needs a key with the scope `read`.
        """
        return self._transport.json(
            Call(
                "GET",
                f"/links/{segment(id)}/behaviour",
                timeout=timeout,
                max_retries=max_retries,
            ),
            Behaviour.from_json,
        )

    def set_behaviour(
        self,
        id: int,
        *,
        rules: builtins.list[BehaviourRule] | Omitted = OMITTED,
        split: builtins.list[BehaviourPart] | Omitted = OMITTED,
        sticky: Literal["day", "visit"] | Omitted = OMITTED,
        starts_at: int | Omitted = OMITTED,
        before_url: str | Omitted = OMITTED,
        after_url: str | Omitted = OMITTED,
        max_clicks: int | Omitted = OMITTED,
        confirm_visit: Literal[True] | Omitted = OMITTED,
        forward_query: Literal["none", "utm", "all"] | Omitted = OMITTED,
        parameters: Literal[True] | Omitted = OMITTED,
        password: Literal[True] | str | None | Omitted = OMITTED,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Behaviour:
        """Replace where a link leads, for whom and when; an empty object removes it.

        Needs a key with the scope `create`.

        Args:
            rules: The first rule whose conditions all hold decides. At least 1. At most 32.
            split: Where the link leads if no rule decides. At least 2. At most 10.
            sticky: `day`: a visitor gets the same part all day, without a cookie; `visit`: a new part each time.
            starts_at: Unix seconds.
            before_url: Where the link leads before `starts_at`. At most 2048 characters.
            after_url: Where the link leads once it is expired or used up. At most 2048 characters.
            max_clicks: How many people get through, counted from when this number was set.
            confirm_visit: A GET shows a page with a button, and only pressing it uses a place of `max_clicks` up: for links in mail, which scanners open with the agents of browsers.
            forward_query: Which parameters of the short URL are added to the destination; `none` by default.
            parameters: What follows the slug, as in `/pr/123`, fills the destination: `{path}` is all of it, `{1}` to `{9}` are its segments.
            password: A new password. Left out or `true` keeps the present one, null removes it.
        """
        return self._transport.json(
            Call(
                "PUT",
                f"/links/{segment(id)}/behaviour",
                body={
                    "rules": rules,
                    "split": split,
                    "sticky": sticky,
                    "starts_at": starts_at,
                    "before_url": before_url,
                    "after_url": after_url,
                    "max_clicks": max_clicks,
                    "confirm_visit": confirm_visit,
                    "forward_query": forward_query,
                    "parameters": parameters,
                    "password": password,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Behaviour.from_json,
        )

    def delete_behaviour(
        self,
        id: int,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> DeleteBehaviourResult:
        """Remove the behaviour of a link, which then leads to its URL.

        Needs a key with the scope `create`.
        """
        return self._transport.json(
            Call(
                "DELETE",
                f"/links/{segment(id)}/behaviour",
                timeout=timeout,
                max_retries=max_retries,
            ),
            DeleteBehaviourResult.from_json,
        )

    def promote_variant(
        self,
        id: int,
        *,
        variant: str,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Behaviour:
        """End a split: one of its parts becomes the URL of the link, or of the rule.

        Needs a key with the scope `create`.

        Args:
            variant: As in the breakdown by variant: `0.2` is the second part of the split without a rule. At most 10 characters.
        """
        return self._transport.json(
            Call(
                "POST",
                f"/links/{segment(id)}/behaviour/promote",
                body={
                    "variant": variant,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Behaviour.from_json,
        )

    def explain(
        self,
        id: int,
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
        """Explain where a link leads a visitor, without counting a click.

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
                f"/links/{segment(id)}/explain",
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

    def add_slug(
        self,
        id: int,
        *,
        slug: str,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Slug:
        """Add a custom slug to any link.

        Needs a key with the scope `create`.

        Args:
            slug: Custom slug. Upper-case letters are lower-cased. At most 128 characters.
        """
        return self._transport.json(
            Call(
                "POST",
                f"/links/{segment(id)}/slugs",
                body={
                    "slug": slug,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Slug.from_json,
        )

    def disable_slug(
        self,
        id: int,
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
                f"/links/{segment(id)}/slugs/{segment(slug)}/disable",
                timeout=timeout,
                max_retries=max_retries,
            ),
            Slug.from_json,
        )

    def enable_slug(
        self,
        id: int,
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
                f"/links/{segment(id)}/slugs/{segment(slug)}/enable",
                timeout=timeout,
                max_retries=max_retries,
            ),
            Slug.from_json,
        )

    def set_primary_slug(
        self,
        id: int,
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
                f"/links/{segment(id)}/slugs/{segment(slug)}/primary",
                timeout=timeout,
                max_retries=max_retries,
            ),
            Link.from_json,
        )

    def remove_slug(
        self,
        id: int,
        slug: str,
        *,
        force: bool | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> RemoveSlugResult:
        """Remove a custom slug, which becomes available again.

        Needs a key with the scope `create`.

        Args:
            force: Delete even if there are clicks, and delete them too.
        """
        return self._transport.json(
            Call(
                "DELETE",
                f"/links/{segment(id)}/slugs/{segment(slug)}",
                query={
                    "force": force,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            RemoveSlugResult.from_json,
        )

    def list_bundles(
        self,
        id: int,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> builtins.list[Bundle]:
        """List the bundles of a link by name, without archived ones.

        Needs a key with the scope `read`.
        """
        return self._transport.json(
            Call(
                "GET",
                f"/links/{segment(id)}/bundles",
                timeout=timeout,
                max_retries=max_retries,
            ),
            lambda data: many(data, Bundle.from_json),
        )

    def transfer(
        self,
        id: int,
        *,
        owner: str,
        confirm: bool | Omitted = OMITTED,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Link:
        """Make another identity the owner of a link.

        Needs a key with the scope `create`.

        Args:
            owner: The identity of the new owner. At most 320 characters.
            confirm: `true` if the new owner has not created anything on this instance yet.
        """
        return self._transport.json(
            Call(
                "POST",
                f"/links/{segment(id)}/transfer",
                body={
                    "owner": owner,
                    "confirm": confirm,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Link.from_json,
        )

    def list_history(
        self,
        id: int,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[HistoryChange]:
        """List the changes of a link, deleted or not, newest first.

        Needs a key with the scope `read`.

        Args:
            cursor: The cursor from the `Link` header of the previous page.
            limit: The most entries of an answer. 1 to 200. `50` unless given.
        """
        return self._transport.page(
            Call(
                "GET",
                f"/links/{segment(id)}/history",
                query={
                    "cursor": cursor,
                    "limit": limit,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            HistoryChange.from_json,
        )

    def list_all_history(
        self,
        id: int,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Iterator[HistoryChange]:
        """Like `list_history`, but item by item through all pages."""
        return walk_by_cursor(
            lambda page_cursor: self.list_history(
                id,
                cursor=page_cursor,
                limit=limit,
                timeout=timeout,
                max_retries=max_retries,
            ),
            cursor,
        )

    def restore(
        self,
        id: int,
        *,
        change_id: int,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Link:
        """Give a link the values that it had right after a change; its owner stays.

        Needs a key with the scope `create`.

        Args:
            change_id: A change of the link.
        """
        return self._transport.json(
            Call(
                "POST",
                f"/links/{segment(id)}/restore",
                body={
                    "change_id": change_id,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Link.from_json,
        )

    def analytics(
        self,
        id: int,
        *,
        range: Range | None = None,
        tz: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> ClickStats:
        """Analytics of a link: visitors, countries, referrers, devices, channels.

        Needs a key with the scope `read`.

        Args:
            range: `all` unless given.
            tz: Time zone whose calendar groups the clicks; it never shifts the window. `UTC` unless given.
        """
        return self._transport.json(
            Call(
                "GET",
                f"/links/{segment(id)}/analytics",
                query={
                    "range": range,
                    "tz": tz,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            ClickStats.from_json,
        )

    def timeline(
        self,
        id: int,
        *,
        range: Range | None = None,
        tz: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> TimelineData:
        """Clicks of a link by hour, day, week or month.

        Needs a key with the scope `read`.

        Args:
            range: `all` unless given.
            tz: Time zone whose calendar groups the clicks; it never shifts the window. `UTC` unless given.
        """
        return self._transport.json(
            Call(
                "GET",
                f"/links/{segment(id)}/timeline",
                query={
                    "range": range,
                    "tz": tz,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            TimelineData.from_json,
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
        """One breakdown of a link in full, with pagination.

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
                f"/links/{segment(id)}/breakdown",
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

    def qr(
        self,
        id: int,
        *,
        slug: str | None = None,
        format: Literal["svg", "png", "pdf"] | None = None,
        size: int | None = None,
        level: Literal["L", "M", "Q", "H"] | None = None,
        margin: int | None = None,
        dark: str | None = None,
        light: str | None = None,
        shape: Literal["square", "round"] | None = None,
        eyes: Literal["square", "rounded", "circle"] | None = None,
        frame: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> File:
        """Create a QR code of the short URL.

        Needs a key with the scope `read`.

        Args:
            slug: A slug of this link, enabled or disabled; the primary slug by default. At most 128 characters.
            format: The image format. By default PNG for `Accept: image/png`, otherwise SVG.
            size: Width in pixels. 1 to 2048. `220` unless given.
            level: Error correction. `M` unless given.
            margin: Quiet zone in modules. 0 to 16. `4` unless given.
            dark: Colour of the modules, as RRGGBB. `000000` unless given.
            light: Colour of the background, as RRGGBB. `ffffff` unless given.
            shape: Shape of the modules. `square` unless given.
            eyes: Shape of the three large squares by which scanners find the code. `square` unless given.
            frame: Text of a frame below the code, which makes the image higher than wide; at most 30 Latin characters. At most 30 characters.
        """
        return self._transport.file(
            Call(
                "GET",
                f"/links/{segment(id)}/qr",
                query={
                    "slug": slug,
                    "format": format,
                    "size": size,
                    "level": level,
                    "margin": margin,
                    "dark": dark,
                    "light": light,
                    "shape": shape,
                    "eyes": eyes,
                    "frame": frame,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
        )


class AsyncLinks:
    """`client.links`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
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
        """Shorten a URL.

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
                "/links",
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
        owner: str | None = None,
        search: str | None = None,
        host: str | None = None,
        domain: str | None = None,
        bundle: int | None = None,
        no_bundle: bool | None = None,
        updated_since: int | None = None,
        unused_since: int | None = None,
        range: Range | None = None,
        status: Literal["active", "disabled", "expired", "all"] | None = None,
        sort: Literal["created", "clicks", "updated", "last_click"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[Link]:
        """List links.

        Needs a key with the scope `read`.

        Args:
            owner: The exact owner; empty for all owners.
            search: Words in any order. Each is a part of the label, URL, owner, a slug or the name of a bundle with the link, in any case. At most 256 characters.
            host: The exact host of the destination. At most 261 characters.
            domain: Host of a short domain; without it, links of all domains. At most 253 characters.
            bundle: The id of a bundle.
            no_bundle: Only links that are in no bundle.
            updated_since: Unix seconds; links that were changed since.
            unused_since: Unix seconds; links that were created before, and not clicked since.
            status: Only links in this state. `all` unless given.
            sort: The newest, most or latest first. `last_click` is by the hour. `created` unless given.
            limit: The most entries of an answer. 1 to 1000. `1000` unless given.
            cursor: The cursor from the `Link` header of the previous page.
        """
        return await self._transport.page(
            Call(
                "GET",
                "/links",
                query={
                    "owner": owner,
                    "search": search,
                    "host": host,
                    "domain": domain,
                    "bundle": bundle,
                    "no_bundle": no_bundle,
                    "updated_since": updated_since,
                    "unused_since": unused_since,
                    "range": range,
                    "status": status,
                    "sort": sort,
                    "limit": limit,
                    "cursor": cursor,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Link.from_json,
        )

    def list_all(
        self,
        *,
        owner: str | None = None,
        search: str | None = None,
        host: str | None = None,
        domain: str | None = None,
        bundle: int | None = None,
        no_bundle: bool | None = None,
        updated_since: int | None = None,
        unused_since: int | None = None,
        range: Range | None = None,
        status: Literal["active", "disabled", "expired", "all"] | None = None,
        sort: Literal["created", "clicks", "updated", "last_click"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncIterator[Link]:
        """Like `list`, but item by item through all pages."""
        return walk_by_cursor_async(
            lambda page_cursor: self.list(
                owner=owner,
                search=search,
                host=host,
                domain=domain,
                bundle=bundle,
                no_bundle=no_bundle,
                updated_since=updated_since,
                unused_since=unused_since,
                range=range,
                status=status,
                sort=sort,
                limit=limit,
                cursor=page_cursor,
                timeout=timeout,
                max_retries=max_retries,
            ),
            cursor,
        )

    async def get(
        self,
        id: int,
        *,
        range: Range | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Link:
        """Read a link.

        Needs a key with the scope `read`.
        """
        return await self._transport.json(
            Call(
                "GET",
                f"/links/{segment(id)}",
                query={
                    "range": range,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Link.from_json,
        )

    async def update(
        self,
        id: int,
        *,
        url: str | Omitted = OMITTED,
        slug: str | Omitted = OMITTED,
        label: str | None | Omitted = OMITTED,
        expires_at: int | None | Omitted = OMITTED,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Link:
        """Change a link; omitted fields keep their values.

        Needs a key with the scope `create`.

        Args:
            url: Destination of the link: an absolute http or https URL. At most 2048 characters.
            slug: Custom slug. Upper-case letters are lower-cased. At most 128 characters.
            label: Format characters other than joiners are removed. At most 500 characters.
            expires_at: Unix seconds.
        """
        return await self._transport.json(
            Call(
                "PUT",
                f"/links/{segment(id)}",
                body={
                    "url": url,
                    "slug": slug,
                    "label": label,
                    "expires_at": expires_at,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Link.from_json,
        )

    async def delete(
        self,
        id: int,
        *,
        force: bool | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> DeleteLinkResult:
        """Delete a link with its slugs.

        Needs a key with the scope `create`.

        Args:
            force: Delete even if there are clicks, and delete them too.
        """
        return await self._transport.json(
            Call(
                "DELETE",
                f"/links/{segment(id)}",
                query={
                    "force": force,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            DeleteLinkResult.from_json,
        )

    async def disable(
        self,
        id: int,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Link:
        """Disable a link; its expiry and slugs do not change.

        Needs a key with the scope `create`.
        """
        return await self._transport.json(
            Call(
                "POST",
                f"/links/{segment(id)}/disable",
                timeout=timeout,
                max_retries=max_retries,
            ),
            Link.from_json,
        )

    async def enable(
        self,
        id: int,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Link:
        """Enable a link.

        Needs a key with the scope `create`.
        """
        return await self._transport.json(
            Call(
                "POST",
                f"/links/{segment(id)}/enable",
                timeout=timeout,
                max_retries=max_retries,
            ),
            Link.from_json,
        )

    async def get_behaviour(
        self,
        id: int,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Behaviour:
        """Read where a link leads, for whom and when.

        Needs a key with the scope `read`.
        """
        return await self._transport.json(
            Call(
                "GET",
                f"/links/{segment(id)}/behaviour",
                timeout=timeout,
                max_retries=max_retries,
            ),
            Behaviour.from_json,
        )

    async def set_behaviour(
        self,
        id: int,
        *,
        rules: builtins.list[BehaviourRule] | Omitted = OMITTED,
        split: builtins.list[BehaviourPart] | Omitted = OMITTED,
        sticky: Literal["day", "visit"] | Omitted = OMITTED,
        starts_at: int | Omitted = OMITTED,
        before_url: str | Omitted = OMITTED,
        after_url: str | Omitted = OMITTED,
        max_clicks: int | Omitted = OMITTED,
        confirm_visit: Literal[True] | Omitted = OMITTED,
        forward_query: Literal["none", "utm", "all"] | Omitted = OMITTED,
        parameters: Literal[True] | Omitted = OMITTED,
        password: Literal[True] | str | None | Omitted = OMITTED,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Behaviour:
        """Replace where a link leads, for whom and when; an empty object removes it.

        Needs a key with the scope `create`.

        Args:
            rules: The first rule whose conditions all hold decides. At least 1. At most 32.
            split: Where the link leads if no rule decides. At least 2. At most 10.
            sticky: `day`: a visitor gets the same part all day, without a cookie; `visit`: a new part each time.
            starts_at: Unix seconds.
            before_url: Where the link leads before `starts_at`. At most 2048 characters.
            after_url: Where the link leads once it is expired or used up. At most 2048 characters.
            max_clicks: How many people get through, counted from when this number was set.
            confirm_visit: A GET shows a page with a button, and only pressing it uses a place of `max_clicks` up: for links in mail, which scanners open with the agents of browsers.
            forward_query: Which parameters of the short URL are added to the destination; `none` by default.
            parameters: What follows the slug, as in `/pr/123`, fills the destination: `{path}` is all of it, `{1}` to `{9}` are its segments.
            password: A new password. Left out or `true` keeps the present one, null removes it.
        """
        return await self._transport.json(
            Call(
                "PUT",
                f"/links/{segment(id)}/behaviour",
                body={
                    "rules": rules,
                    "split": split,
                    "sticky": sticky,
                    "starts_at": starts_at,
                    "before_url": before_url,
                    "after_url": after_url,
                    "max_clicks": max_clicks,
                    "confirm_visit": confirm_visit,
                    "forward_query": forward_query,
                    "parameters": parameters,
                    "password": password,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Behaviour.from_json,
        )

    async def delete_behaviour(
        self,
        id: int,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> DeleteBehaviourResult:
        """Remove the behaviour of a link, which then leads to its URL.

        Needs a key with the scope `create`.
        """
        return await self._transport.json(
            Call(
                "DELETE",
                f"/links/{segment(id)}/behaviour",
                timeout=timeout,
                max_retries=max_retries,
            ),
            DeleteBehaviourResult.from_json,
        )

    async def promote_variant(
        self,
        id: int,
        *,
        variant: str,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Behaviour:
        """End a split: one of its parts becomes the URL of the link, or of the rule.

        Needs a key with the scope `create`.

        Args:
            variant: As in the breakdown by variant: `0.2` is the second part of the split without a rule. At most 10 characters.
        """
        return await self._transport.json(
            Call(
                "POST",
                f"/links/{segment(id)}/behaviour/promote",
                body={
                    "variant": variant,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Behaviour.from_json,
        )

    async def explain(
        self,
        id: int,
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
        """Explain where a link leads a visitor, without counting a click.

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
                f"/links/{segment(id)}/explain",
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

    async def add_slug(
        self,
        id: int,
        *,
        slug: str,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Slug:
        """Add a custom slug to any link.

        Needs a key with the scope `create`.

        Args:
            slug: Custom slug. Upper-case letters are lower-cased. At most 128 characters.
        """
        return await self._transport.json(
            Call(
                "POST",
                f"/links/{segment(id)}/slugs",
                body={
                    "slug": slug,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Slug.from_json,
        )

    async def disable_slug(
        self,
        id: int,
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
                f"/links/{segment(id)}/slugs/{segment(slug)}/disable",
                timeout=timeout,
                max_retries=max_retries,
            ),
            Slug.from_json,
        )

    async def enable_slug(
        self,
        id: int,
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
                f"/links/{segment(id)}/slugs/{segment(slug)}/enable",
                timeout=timeout,
                max_retries=max_retries,
            ),
            Slug.from_json,
        )

    async def set_primary_slug(
        self,
        id: int,
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
                f"/links/{segment(id)}/slugs/{segment(slug)}/primary",
                timeout=timeout,
                max_retries=max_retries,
            ),
            Link.from_json,
        )

    async def remove_slug(
        self,
        id: int,
        slug: str,
        *,
        force: bool | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> RemoveSlugResult:
        """Remove a custom slug, which becomes available again.

        Needs a key with the scope `create`.

        Args:
            force: Delete even if there are clicks, and delete them too.
        """
        return await self._transport.json(
            Call(
                "DELETE",
                f"/links/{segment(id)}/slugs/{segment(slug)}",
                query={
                    "force": force,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            RemoveSlugResult.from_json,
        )

    async def list_bundles(
        self,
        id: int,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> builtins.list[Bundle]:
        """List the bundles of a link by name, without archived ones.

        Needs a key with the scope `read`.
        """
        return await self._transport.json(
            Call(
                "GET",
                f"/links/{segment(id)}/bundles",
                timeout=timeout,
                max_retries=max_retries,
            ),
            lambda data: many(data, Bundle.from_json),
        )

    async def transfer(
        self,
        id: int,
        *,
        owner: str,
        confirm: bool | Omitted = OMITTED,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Link:
        """Make another identity the owner of a link.

        Needs a key with the scope `create`.

        Args:
            owner: The identity of the new owner. At most 320 characters.
            confirm: `true` if the new owner has not created anything on this instance yet.
        """
        return await self._transport.json(
            Call(
                "POST",
                f"/links/{segment(id)}/transfer",
                body={
                    "owner": owner,
                    "confirm": confirm,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Link.from_json,
        )

    async def list_history(
        self,
        id: int,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Page[HistoryChange]:
        """List the changes of a link, deleted or not, newest first.

        Needs a key with the scope `read`.

        Args:
            cursor: The cursor from the `Link` header of the previous page.
            limit: The most entries of an answer. 1 to 200. `50` unless given.
        """
        return await self._transport.page(
            Call(
                "GET",
                f"/links/{segment(id)}/history",
                query={
                    "cursor": cursor,
                    "limit": limit,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            HistoryChange.from_json,
        )

    def list_all_history(
        self,
        id: int,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncIterator[HistoryChange]:
        """Like `list_history`, but item by item through all pages."""
        return walk_by_cursor_async(
            lambda page_cursor: self.list_history(
                id,
                cursor=page_cursor,
                limit=limit,
                timeout=timeout,
                max_retries=max_retries,
            ),
            cursor,
        )

    async def restore(
        self,
        id: int,
        *,
        change_id: int,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Link:
        """Give a link the values that it had right after a change; its owner stays.

        Needs a key with the scope `create`.

        Args:
            change_id: A change of the link.
        """
        return await self._transport.json(
            Call(
                "POST",
                f"/links/{segment(id)}/restore",
                body={
                    "change_id": change_id,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            Link.from_json,
        )

    async def analytics(
        self,
        id: int,
        *,
        range: Range | None = None,
        tz: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> ClickStats:
        """Analytics of a link: visitors, countries, referrers, devices, channels.

        Needs a key with the scope `read`.

        Args:
            range: `all` unless given.
            tz: Time zone whose calendar groups the clicks; it never shifts the window. `UTC` unless given.
        """
        return await self._transport.json(
            Call(
                "GET",
                f"/links/{segment(id)}/analytics",
                query={
                    "range": range,
                    "tz": tz,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            ClickStats.from_json,
        )

    async def timeline(
        self,
        id: int,
        *,
        range: Range | None = None,
        tz: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> TimelineData:
        """Clicks of a link by hour, day, week or month.

        Needs a key with the scope `read`.

        Args:
            range: `all` unless given.
            tz: Time zone whose calendar groups the clicks; it never shifts the window. `UTC` unless given.
        """
        return await self._transport.json(
            Call(
                "GET",
                f"/links/{segment(id)}/timeline",
                query={
                    "range": range,
                    "tz": tz,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
            TimelineData.from_json,
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
        """One breakdown of a link in full, with pagination.

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
                f"/links/{segment(id)}/breakdown",
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

    async def qr(
        self,
        id: int,
        *,
        slug: str | None = None,
        format: Literal["svg", "png", "pdf"] | None = None,
        size: int | None = None,
        level: Literal["L", "M", "Q", "H"] | None = None,
        margin: int | None = None,
        dark: str | None = None,
        light: str | None = None,
        shape: Literal["square", "round"] | None = None,
        eyes: Literal["square", "rounded", "circle"] | None = None,
        frame: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> File:
        """Create a QR code of the short URL.

        Needs a key with the scope `read`.

        Args:
            slug: A slug of this link, enabled or disabled; the primary slug by default. At most 128 characters.
            format: The image format. By default PNG for `Accept: image/png`, otherwise SVG.
            size: Width in pixels. 1 to 2048. `220` unless given.
            level: Error correction. `M` unless given.
            margin: Quiet zone in modules. 0 to 16. `4` unless given.
            dark: Colour of the modules, as RRGGBB. `000000` unless given.
            light: Colour of the background, as RRGGBB. `ffffff` unless given.
            shape: Shape of the modules. `square` unless given.
            eyes: Shape of the three large squares by which scanners find the code. `square` unless given.
            frame: Text of a frame below the code, which makes the image higher than wide; at most 30 Latin characters. At most 30 characters.
        """
        return await self._transport.file(
            Call(
                "GET",
                f"/links/{segment(id)}/qr",
                query={
                    "slug": slug,
                    "format": format,
                    "size": size,
                    "level": level,
                    "margin": margin,
                    "dark": dark,
                    "light": light,
                    "shape": shape,
                    "eyes": eyes,
                    "frame": frame,
                },
                timeout=timeout,
                max_retries=max_retries,
            ),
        )
