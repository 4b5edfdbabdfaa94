"""Made from the OpenAPI document by `npm run sdks`; changes made here are lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypedDict

from .._call import many, maybe

__all__ = [
    "AddLinkToBundleResult",
    "Behaviour",
    "BehaviourConditions",
    "BehaviourHours",
    "BehaviourParameter",
    "BehaviourPart",
    "BehaviourRule",
    "BehaviourSplit",
    "Breakdown",
    "Bucket",
    "Bundle",
    "BundleStats",
    "BundleStatsTopCountry",
    "BundleWithSummary",
    "ClickStats",
    "DateCount",
    "DeleteBehaviourResult",
    "DeleteBundleResult",
    "DeleteLinkResult",
    "Domain",
    "Explanation",
    "ExplanationCounted",
    "ExplanationStep",
    "GetConfigResult",
    "Link",
    "MemberClicks",
    "NameCount",
    "Performer",
    "Range",
    "RemoveLinkFromBundleResult",
    "RemoveSlugBySlugResult",
    "RemoveSlugResult",
    "Slug",
    "SlugCount",
    "Summary",
    "TimelineData",
    "TopLink",
]

Range = Literal["24h", "7d", "30d", "90d", "1y", "all"]
"""A window that ends now, exact to the second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    id: int
    url: str
    label: str | None
    expires_at: int | None
    """Unix seconds; the link does not redirect from then on."""
    disabled_at: int | None
    """Unix seconds; set while the link is disabled."""
    created_via: str | None
    created_by: str
    """Identity of the owner."""
    created_at: int
    slugs: list[Slug]
    """The slugs; the first is always the automatic slug."""
    total_clicks: int
    """Raw clicks: of all time, or in the window if `range` is given."""
    delta_pct: int | None = None
    """Change in percent from the previous period; absent if that had no clicks."""
    short_origin: str
    """Public origin of short URLs, such as `https://go.example.com`. A short URL is this origin, a slash and a slug."""
    domain: str | None = None
    """Host of the domain; absent on the default domain."""
    duplicate: Literal[True] | None = None
    duplicate_count: int | None = None

    @classmethod
    def from_json(cls, data: Any) -> Link:
        return cls(
            id=data["id"],
            url=data["url"],
            label=data["label"],
            expires_at=data["expires_at"],
            disabled_at=data["disabled_at"],
            created_via=data["created_via"],
            created_by=data["created_by"],
            created_at=data["created_at"],
            slugs=many(data["slugs"], Slug.from_json),
            total_clicks=data["total_clicks"],
            delta_pct=data.get("delta_pct"),
            short_origin=data["short_origin"],
            domain=data.get("domain"),
            duplicate=data.get("duplicate"),
            duplicate_count=data.get("duplicate_count"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Slug:
    link_id: int
    slug: str
    domain: str | None = None
    """Host of the domain; absent on the default domain."""
    is_custom: Literal[0, 1]
    is_primary: Literal[0, 1]
    click_count: int
    """Raw clicks: of all time, or in the window if `range` is given."""
    created_at: int
    disabled_at: int | None

    @classmethod
    def from_json(cls, data: Any) -> Slug:
        return cls(
            link_id=data["link_id"],
            slug=data["slug"],
            domain=data.get("domain"),
            is_custom=data["is_custom"],
            is_primary=data["is_primary"],
            click_count=data["click_count"],
            created_at=data["created_at"],
            disabled_at=data["disabled_at"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteLinkResult:
    deleted: Literal[True]

    @classmethod
    def from_json(cls, data: Any) -> DeleteLinkResult:
        return cls(
            deleted=data["deleted"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class GetConfigResult:
    short_origin: str
    """Public origin of short URLs, such as `https://go.example.com`. A short URL is this origin, a slash and a slug."""

    @classmethod
    def from_json(cls, data: Any) -> GetConfigResult:
        return cls(
            short_origin=data["short_origin"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    rules: list[BehaviourRule] | None = None
    """The first rule whose conditions all hold decides. At least 1. At most 32."""
    split: list[BehaviourPart] | None = None
    """Where the link leads if no rule decides. At least 2. At most 10."""
    stick: Literal["day", "visit"] | None = None
    """`day`: a visitor gets the same part all day, without a cookie; `visit`: a new part each time."""
    starts_at: int | None = None
    """Unix seconds."""
    before_url: str | None = None
    """Where the link leads before `starts_at`. At most 2048 characters."""
    after_url: str | None = None
    """Where the link leads once it is expired or used up. At most 2048 characters."""
    max_clicks: int | None = None
    """How many people get through, counted from when this number was set."""
    forward_query: Literal["none", "utm", "all"] | None = None
    """Which parameters of the short URL are added to the destination; `none` by default."""
    password: Literal[True] | None = None
    """Visitors must enter a password."""
    clicks_left: int | None = None
    """How many more people get through."""

    @classmethod
    def from_json(cls, data: Any) -> Behaviour:
        return cls(
            rules=data.get("rules"),
            split=data.get("split"),
            stick=data.get("stick"),
            starts_at=data.get("starts_at"),
            before_url=data.get("before_url"),
            after_url=data.get("after_url"),
            max_clicks=data.get("max_clicks"),
            forward_query=data.get("forward_query"),
            password=data.get("password"),
            clicks_left=data.get("clicks_left"),
        )


BehaviourRule = TypedDict(
    "BehaviourRule",
    {
        "when": "BehaviourConditions",
        "to": "str | BehaviourSplit",
        "label": "str",
    },
    total=False,
)


BehaviourConditions = TypedDict(
    "BehaviourConditions",
    {
        "device": "list[Literal['mobile', 'tablet', 'desktop']]",
        "not_device": "list[Literal['mobile', 'tablet', 'desktop']]",
        "os": "list[Literal['ios', 'android', 'windows', 'chromeos', 'macos', 'linux', 'other']]",
        "not_os": "list[Literal['ios', 'android', 'windows', 'chromeos', 'macos', 'linux', 'other']]",
        "browser": "list[Literal['Edge', 'Opera', 'Samsung Internet', 'Yandex', 'Brave', 'Vivaldi', 'Chrome', 'Chromium', 'Firefox', 'Safari', 'IE', 'Other']]",
        "not_browser": "list[Literal['Edge', 'Opera', 'Samsung Internet', 'Yandex', 'Brave', 'Vivaldi', 'Chrome', 'Chromium', 'Firefox', 'Safari', 'IE', 'Other']]",
        "country": "list[str]",
        "not_country": "list[str]",
        "language": "list[str]",
        "not_language": "list[str]",
        "referrer_host": "list[str]",
        "not_referrer_host": "list[str]",
        "query": "list[BehaviourParameter]",
        "not_query": "list[BehaviourParameter]",
        "after": "int",
        "not_after": "int",
        "before": "int",
        "not_before": "int",
        "hours": "BehaviourHours",
        "not_hours": "BehaviourHours",
    },
    total=False,
)


BehaviourParameter = TypedDict(
    "BehaviourParameter",
    {
        "name": "str",
        "is": "str",
    },
    total=False,
)


BehaviourHours = TypedDict(
    "BehaviourHours",
    {
        "days": "list[int]",
        "from": "str",
        "to": "str",
        "tz": "str",
    },
    total=False,
)


BehaviourSplit = TypedDict(
    "BehaviourSplit",
    {
        "split": "list[BehaviourPart]",
        "stick": "Literal['day', 'visit']",
    },
    total=False,
)


BehaviourPart = TypedDict(
    "BehaviourPart",
    {
        "url": "str",
        "weight": "int",
        "label": "str",
    },
    total=False,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteBehaviourResult:
    deleted: Literal[True]

    @classmethod
    def from_json(cls, data: Any) -> DeleteBehaviourResult:
        return cls(
            deleted=data["deleted"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    outcome: Literal[
        "open", "early", "expired", "used_up", "disabled", "locked", "preview", "method"
    ]
    """`open` for a link that leads to a destination."""
    status: int
    """The status of the answer."""
    location: str | None
    """The `Location` of the answer."""
    variant: str | None
    """As in the breakdown by variant."""
    counted: ExplanationCounted
    steps: list[ExplanationStep]
    """The checks in their order, up to the one that decides."""
    changes_at: list[int]
    """Up to 10 next moments at which the answer to this visit differs, in Unix seconds."""
    as_of: int
    """The moment of the visit, in Unix seconds."""
    version: int
    """The version of the link that was explained."""

    @classmethod
    def from_json(cls, data: Any) -> Explanation:
        return cls(
            outcome=data["outcome"],
            status=data["status"],
            location=data["location"],
            variant=data["variant"],
            counted=ExplanationCounted.from_json(data["counted"]),
            steps=many(data["steps"], ExplanationStep.from_json),
            changes_at=data["changes_at"],
            as_of=data["as_of"],
            version=data["version"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplanationCounted:
    as_: Literal[
        "human",
        "bot",
        "self",
        "head",
        "prefetch",
        "own_check",
        "early",
        "expired",
        "used_up",
        "disabled",
        "locked",
        "preview",
        "method",
    ]
    """`human`, `bot` and `self` are clicks; everything else is none."""
    because: str

    @classmethod
    def from_json(cls, data: Any) -> ExplanationCounted:
        return cls(
            as_=data["as"],
            because=data["because"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplanationStep:
    check: str
    """The field that was read, such as `starts_at` or `rules.0.when.country`; `method`, `slug` and `visitor` are of the request."""
    saw: str | float | None
    """The value in this visit, or the URL that was chosen; null if it is unknown."""
    result: Literal["pass", "stop", "holds", "fails", "chosen", "added", "unchanged"]

    @classmethod
    def from_json(cls, data: Any) -> ExplanationStep:
        return cls(
            check=data["check"],
            saw=data["saw"],
            result=data["result"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveSlugBySlugResult:
    removed: Literal[True]

    @classmethod
    def from_json(cls, data: Any) -> RemoveSlugBySlugResult:
        return cls(
            removed=data["removed"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveSlugResult:
    removed: Literal[True]

    @classmethod
    def from_json(cls, data: Any) -> RemoveSlugResult:
        return cls(
            removed=data["removed"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    host: str
    is_default: bool
    root_url: str | None
    not_found_url: str | None
    status: Literal[301, 302, 307, 308] | None
    """HTTP status of redirects; null for the one in the settings of the instance."""
    robots: Literal["allow", "disallow"]
    """Whether `robots.txt` lets search engines visit this domain."""
    also_of: str | None
    well_known: dict[str, Any]
    """Files below `/.well-known/`, by their names."""

    @classmethod
    def from_json(cls, data: Any) -> Domain:
        return cls(
            host=data["host"],
            is_default=data["is_default"],
            root_url=data["root_url"],
            not_found_url=data["not_found_url"],
            status=data["status"],
            robots=data["robots"],
            also_of=data["also_of"],
            well_known=data["well_known"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleWithSummary:
    id: int
    name: str
    description: str | None
    icon: str | None
    accent: Literal["orange", "red", "green", "blue", "purple"]
    archived_at: int | None
    """Unix seconds; set while the bundle is archived."""
    created_via: str | None
    created_by: str
    """Identity of the owner."""
    created_at: int
    updated_at: int
    link_count: int
    total_clicks: int
    """Raw clicks of all links of the bundle in the window."""
    delta_pct: int | None = None
    """Change in percent from the previous period; absent if that had no clicks."""
    sparkline: list[int]
    """Clicks by hour (24h), day (7d, 30d, 90d) or month (1y, all), in UTC; they add up to the total."""
    top_links: list[TopLink]
    """The most clicked links, without those that have no clicks. At most 3."""

    @classmethod
    def from_json(cls, data: Any) -> BundleWithSummary:
        return cls(
            id=data["id"],
            name=data["name"],
            description=data["description"],
            icon=data["icon"],
            accent=data["accent"],
            archived_at=data["archived_at"],
            created_via=data["created_via"],
            created_by=data["created_by"],
            created_at=data["created_at"],
            updated_at=data["updated_at"],
            link_count=data["link_count"],
            total_clicks=data["total_clicks"],
            delta_pct=data.get("delta_pct"),
            sparkline=data["sparkline"],
            top_links=many(data["top_links"], TopLink.from_json),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TopLink:
    slug: str
    """The primary slug."""
    domain: str | None = None
    """Host of the domain; absent on the default domain."""
    click_count: int

    @classmethod
    def from_json(cls, data: Any) -> TopLink:
        return cls(
            slug=data["slug"],
            domain=data.get("domain"),
            click_count=data["click_count"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    id: int
    name: str
    description: str | None
    icon: str | None
    accent: Literal["orange", "red", "green", "blue", "purple"]
    archived_at: int | None
    """Unix seconds; set while the bundle is archived."""
    created_via: str | None
    created_by: str
    """Identity of the owner."""
    created_at: int
    updated_at: int

    @classmethod
    def from_json(cls, data: Any) -> Bundle:
        return cls(
            id=data["id"],
            name=data["name"],
            description=data["description"],
            icon=data["icon"],
            accent=data["accent"],
            archived_at=data["archived_at"],
            created_via=data["created_via"],
            created_by=data["created_by"],
            created_at=data["created_at"],
            updated_at=data["updated_at"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteBundleResult:
    deleted: Literal[True]

    @classmethod
    def from_json(cls, data: Any) -> DeleteBundleResult:
        return cls(
            deleted=data["deleted"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AddLinkToBundleResult:
    added: Literal[True]

    @classmethod
    def from_json(cls, data: Any) -> AddLinkToBundleResult:
        return cls(
            added=data["added"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveLinkFromBundleResult:
    removed: bool

    @classmethod
    def from_json(cls, data: Any) -> RemoveLinkFromBundleResult:
        return cls(
            removed=data["removed"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ClickStats:
    total_clicks: int
    delta_pct: int | None = None
    """Change in percent from the previous period; absent if that had no clicks."""
    unique_visitors: int
    """One per visitor and UTC day."""
    countries: list[NameCount]
    """At most 10."""
    referrers: list[NameCount]
    """At most 10."""
    referrer_hosts: list[NameCount]
    """At most 10."""
    os: list[NameCount]
    """At most 10."""
    browsers: list[NameCount]
    """At most 10."""
    utm_sources: list[NameCount]
    """At most 10."""
    utm_mediums: list[NameCount]
    """At most 10."""
    utm_campaigns: list[NameCount]
    """At most 10."""
    devices: list[NameCount]
    link_modes: list[NameCount]
    channels: list[NameCount]
    clicks_over_time: list[DateCount]
    """The latest days with clicks in the window, ascending. At most 30."""
    slug_clicks: list[SlugCount]
    num_countries: int
    num_referrers: int
    num_referrer_hosts: int
    num_os: int
    num_browsers: int

    @classmethod
    def from_json(cls, data: Any) -> ClickStats:
        return cls(
            total_clicks=data["total_clicks"],
            delta_pct=data.get("delta_pct"),
            unique_visitors=data["unique_visitors"],
            countries=many(data["countries"], NameCount.from_json),
            referrers=many(data["referrers"], NameCount.from_json),
            referrer_hosts=many(data["referrer_hosts"], NameCount.from_json),
            os=many(data["os"], NameCount.from_json),
            browsers=many(data["browsers"], NameCount.from_json),
            utm_sources=many(data["utm_sources"], NameCount.from_json),
            utm_mediums=many(data["utm_mediums"], NameCount.from_json),
            utm_campaigns=many(data["utm_campaigns"], NameCount.from_json),
            devices=many(data["devices"], NameCount.from_json),
            link_modes=many(data["link_modes"], NameCount.from_json),
            channels=many(data["channels"], NameCount.from_json),
            clicks_over_time=many(data["clicks_over_time"], DateCount.from_json),
            slug_clicks=many(data["slug_clicks"], SlugCount.from_json),
            num_countries=data["num_countries"],
            num_referrers=data["num_referrers"],
            num_referrer_hosts=data["num_referrer_hosts"],
            num_os=data["num_os"],
            num_browsers=data["num_browsers"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class NameCount:
    name: str
    count: int

    @classmethod
    def from_json(cls, data: Any) -> NameCount:
        return cls(
            name=data["name"],
            count=data["count"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DateCount:
    date: str
    """YYYY-MM-DD"""
    count: int

    @classmethod
    def from_json(cls, data: Any) -> DateCount:
        return cls(
            date=data["date"],
            count=data["count"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SlugCount:
    slug: str
    domain: str | None = None
    """Host of the domain; absent on the default domain."""
    count: int

    @classmethod
    def from_json(cls, data: Any) -> SlugCount:
        return cls(
            slug=data["slug"],
            domain=data.get("domain"),
            count=data["count"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineData:
    range: Range
    buckets: list[Bucket]
    """One per calendar unit that the window touches; they add up to its total."""
    summary: Summary

    @classmethod
    def from_json(cls, data: Any) -> TimelineData:
        return cls(
            range=data["range"],
            buckets=many(data["buckets"], Bucket.from_json),
            summary=Summary.from_json(data["summary"]),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    label: str
    count: int

    @classmethod
    def from_json(cls, data: Any) -> Bucket:
        return cls(
            label=data["label"],
            count=data["count"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    last_24h: int
    last_7d: int
    last_30d: int
    last_90d: int
    last_1y: int

    @classmethod
    def from_json(cls, data: Any) -> Summary:
        return cls(
            last_24h=data["last_24h"],
            last_7d=data["last_7d"],
            last_30d=data["last_30d"],
            last_90d=data["last_90d"],
            last_1y=data["last_1y"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Breakdown:
    items: list[NameCount]
    total: int
    """Number of distinct values."""

    @classmethod
    def from_json(cls, data: Any) -> Breakdown:
        return cls(
            items=many(data["items"], NameCount.from_json),
            total=data["total"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleStats:
    total_clicks: int
    delta_pct: int | None = None
    """Change in percent from the previous period; absent if that had no clicks."""
    unique_visitors: int
    """One per visitor and UTC day."""
    countries: list[NameCount]
    """At most 10."""
    referrers: list[NameCount]
    """At most 10."""
    referrer_hosts: list[NameCount]
    """At most 10."""
    os: list[NameCount]
    """At most 10."""
    browsers: list[NameCount]
    """At most 10."""
    utm_sources: list[NameCount]
    """At most 10."""
    utm_mediums: list[NameCount]
    """At most 10."""
    utm_campaigns: list[NameCount]
    """At most 10."""
    devices: list[NameCount]
    link_modes: list[NameCount]
    channels: list[NameCount]
    clicks_over_time: list[DateCount]
    """The latest days with clicks in the window, ascending. At most 30."""
    slug_clicks: list[SlugCount]
    num_countries: int
    num_referrers: int
    num_referrer_hosts: int
    num_os: int
    num_browsers: int
    bundle: Bundle
    link_count: int
    clicked_links: int
    top_performer: Performer | None = None
    countries_reached: int
    top_country: BundleStatsTopCountry | None = None
    timeline: TimelineData
    per_link: list[MemberClicks]
    """All links, most clicked first."""

    @classmethod
    def from_json(cls, data: Any) -> BundleStats:
        return cls(
            total_clicks=data["total_clicks"],
            delta_pct=data.get("delta_pct"),
            unique_visitors=data["unique_visitors"],
            countries=many(data["countries"], NameCount.from_json),
            referrers=many(data["referrers"], NameCount.from_json),
            referrer_hosts=many(data["referrer_hosts"], NameCount.from_json),
            os=many(data["os"], NameCount.from_json),
            browsers=many(data["browsers"], NameCount.from_json),
            utm_sources=many(data["utm_sources"], NameCount.from_json),
            utm_mediums=many(data["utm_mediums"], NameCount.from_json),
            utm_campaigns=many(data["utm_campaigns"], NameCount.from_json),
            devices=many(data["devices"], NameCount.from_json),
            link_modes=many(data["link_modes"], NameCount.from_json),
            channels=many(data["channels"], NameCount.from_json),
            clicks_over_time=many(data["clicks_over_time"], DateCount.from_json),
            slug_clicks=many(data["slug_clicks"], SlugCount.from_json),
            num_countries=data["num_countries"],
            num_referrers=data["num_referrers"],
            num_referrer_hosts=data["num_referrer_hosts"],
            num_os=data["num_os"],
            num_browsers=data["num_browsers"],
            bundle=Bundle.from_json(data["bundle"]),
            link_count=data["link_count"],
            clicked_links=data["clicked_links"],
            top_performer=maybe(data.get("top_performer"), Performer.from_json),
            countries_reached=data["countries_reached"],
            top_country=maybe(data.get("top_country"), BundleStatsTopCountry.from_json),
            timeline=TimelineData.from_json(data["timeline"]),
            per_link=many(data["per_link"], MemberClicks.from_json),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Performer:
    slug: str
    """The primary slug."""
    domain: str | None = None
    """Host of the domain; absent on the default domain."""
    label: str | None
    click_count: int
    pct_of_bundle: int
    """Percent of all clicks of the bundle in the window."""

    @classmethod
    def from_json(cls, data: Any) -> Performer:
        return cls(
            slug=data["slug"],
            domain=data.get("domain"),
            label=data["label"],
            click_count=data["click_count"],
            pct_of_bundle=data["pct_of_bundle"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleStatsTopCountry:
    name: str
    pct: int
    """Percent of all clicks of the bundle in the window."""

    @classmethod
    def from_json(cls, data: Any) -> BundleStatsTopCountry:
        return cls(
            name=data["name"],
            pct=data["pct"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberClicks:
    link_id: int
    label: str | None
    primary_slug: str
    domain: str | None = None
    """Host of the domain; absent on the default domain."""
    url: str
    click_count: int
    pct_of_bundle: int
    """Percent of all clicks of the bundle in the window."""
    delta_pct: int | None = None

    @classmethod
    def from_json(cls, data: Any) -> MemberClicks:
        return cls(
            link_id=data["link_id"],
            label=data["label"],
            primary_slug=data["primary_slug"],
            domain=data.get("domain"),
            url=data["url"],
            click_count=data["click_count"],
            pct_of_bundle=data["pct_of_bundle"],
            delta_pct=data.get("delta_pct"),
        )
