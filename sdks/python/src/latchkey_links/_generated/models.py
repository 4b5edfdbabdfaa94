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
    "BulkChangesSet",
    "BulkResult",
    "BulkResults",
    "Bundle",
    "BundleStats",
    "BundleStatsTopCountry",
    "BundleWithSummary",
    "ClickStats",
    "CreateWebhookResult",
    "DateCount",
    "DeleteBehaviourResult",
    "DeleteBundleResult",
    "DeleteLinkResult",
    "DeleteWebhookResult",
    "DeliveryHeader",
    "DeliveryRequest",
    "Domain",
    "Event",
    "EventClick",
    "EventData",
    "EventPage",
    "EventType",
    "Explanation",
    "ExplanationCounted",
    "ExplanationStep",
    "GetConfigResult",
    "HistoryChange",
    "LegacyPath",
    "LegacyPathOfLink",
    "Link",
    "LinkFilter",
    "MemberClicks",
    "NameCount",
    "NewLink",
    "Performer",
    "Plan",
    "PlanBundle",
    "PlanChange",
    "PlanLink",
    "PlanOp",
    "PlanSummary",
    "PlanUndo",
    "PlanVersion",
    "PlanWarning",
    "Range",
    "RemainingChange",
    "RemoveLinkFromBundleResult",
    "RemoveSlugBySlugResult",
    "RemoveSlugResult",
    "RotateWebhookSecretResult",
    "Slug",
    "SlugCount",
    "Summary",
    "TimelineData",
    "TopLink",
    "UndoResult",
    "Webhook",
    "WebhookDelivery",
    "WebhookDeliveryDetails",
]

Range = Literal["24h", "7d", "30d", "90d", "1y", "all"]
"""A window that ends now, exact to the second."""

EventType = Literal[
    "link.created",
    "link.updated",
    "link.disabled",
    "link.enabled",
    "link.transferred",
    "link.deleted",
    "bundle.created",
    "bundle.updated",
    "bundle.archived",
    "bundle.unarchived",
    "bundle.transferred",
    "bundle.deleted",
    "bundle.link_added",
    "bundle.link_removed",
    "link.clicked",
    "link.expired",
    "link.limit_reached",
    "link.imported",
    "plan.pending",
]


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
    legacy_paths: list[LegacyPath] | None = None
    """Paths of another service that it answers as well; absent without any."""
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
            legacy_paths=maybe(
                data.get("legacy_paths"), lambda items: many(items, LegacyPath.from_json)
            ),
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
class LegacyPath:
    path: str
    """Decoded, without its leading slash; matched exactly, with its case and slashes."""
    source: str
    """The format of the file that it was imported from, such as `yourls`; `cli` for one that an operator added."""
    created_at: int

    @classmethod
    def from_json(cls, data: Any) -> LegacyPath:
        return cls(
            path=data["path"],
            source=data["source"],
            created_at=data["created_at"],
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
class BulkResults:
    results: list[BulkResult]

    @classmethod
    def from_json(cls, data: Any) -> BulkResults:
        return cls(
            results=many(data["results"], BulkResult.from_json),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkResult:
    index: int
    """The position in the request, from 0."""
    status: int
    """The status that the request of one link would have."""
    link: Link | None = None
    error: str | None = None
    """Only of refusals."""
    code: str | None = None
    """The error code of a refusal."""

    @classmethod
    def from_json(cls, data: Any) -> BulkResult:
        return cls(
            index=data["index"],
            status=data["status"],
            link=maybe(data.get("link"), Link.from_json),
            error=data.get("error"),
            code=data.get("code"),
        )


LinkFilter = TypedDict(
    "LinkFilter",
    {
        "owner": "str",
        "search": "str",
        "host": "str",
        "domain": "str",
        "bundle": "int",
        "no_bundle": "bool",
        "updated_since": "int",
        "unused_since": "int",
        "status": "Literal['active', 'disabled', 'expired', 'all', 'expiring']",
        "source": "Literal['api', 'sdk', 'app', 'mcp', 'import']",
        "has_behaviour": "bool",
    },
    total=False,
)


BulkChangesSet = TypedDict(
    "BulkChangesSet",
    {
        "label": "str | None",
        "expires_at": "int | None",
        "disabled": "bool",
        "bundle": "int",
        "owner": "str",
        "confirm": "bool",
    },
    total=False,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    rules: list[BehaviourRule] | None = None
    """The first rule whose conditions all hold decides. At least 1. At most 32."""
    split: list[BehaviourPart] | None = None
    """Where the link leads if no rule decides. At least 2. At most 10."""
    sticky: Literal["day", "visit"] | None = None
    """`day`: a visitor gets the same part all day, without a cookie; `visit`: a new part each time."""
    starts_at: int | None = None
    """Unix seconds."""
    before_url: str | None = None
    """Where the link leads before `starts_at`. At most 2048 characters."""
    after_url: str | None = None
    """Where the link leads once it is expired or used up. At most 2048 characters."""
    max_clicks: int | None = None
    """How many people get through, counted from when this number was set."""
    confirm_visit: Literal[True] | None = None
    """A GET shows a page with a button, and only pressing it uses a place of `max_clicks` up: for links in mail, which scanners open with the agents of browsers."""
    forward_query: Literal["none", "utm", "all"] | None = None
    """Which parameters of the short URL are added to the destination; `none` by default."""
    parameters: Literal[True] | None = None
    """What follows the slug, as in `/pr/123`, fills the destination: `{path}` is all of it, `{1}` to `{9}` are its segments."""
    password: Literal[True] | None = None
    """Visitors must enter a password."""
    clicks_left: int | None = None
    """How many more people get through."""

    @classmethod
    def from_json(cls, data: Any) -> Behaviour:
        return cls(
            rules=data.get("rules"),
            split=data.get("split"),
            sticky=data.get("sticky"),
            starts_at=data.get("starts_at"),
            before_url=data.get("before_url"),
            after_url=data.get("after_url"),
            max_clicks=data.get("max_clicks"),
            confirm_visit=data.get("confirm_visit"),
            forward_query=data.get("forward_query"),
            parameters=data.get("parameters"),
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
        "sticky": "Literal['day', 'visit']",
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
        "open", "early", "expired", "used_up", "disabled", "locked", "confirm", "preview", "method"
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
        "confirm",
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
class LegacyPathOfLink:
    path: str
    """Decoded, without its leading slash; matched exactly, with its case and slashes."""
    source: str
    """The format of the file that it was imported from, such as `yourls`; `cli` for one that an operator added."""
    created_at: int
    link_id: int
    domain: str | None = None
    """Host of the domain; absent on the default domain."""

    @classmethod
    def from_json(cls, data: Any) -> LegacyPathOfLink:
        return cls(
            path=data["path"],
            source=data["source"],
            created_at=data["created_at"],
            link_id=data["link_id"],
            domain=data.get("domain"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    host: str
    is_default: bool
    root_url: str | None
    not_found_url: str | None
    status: Literal[301, 302, 307, 308] | None
    """HTTP status of redirects; null for the one in the settings of the instance."""
    robots: Literal["disallow", "previews", "allow"] | None
    """Robots that `robots.txt` admits to short URLs: none, those that show previews of links, or all; null for the value in the settings of the instance."""
    alias_of: str | None
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
            alias_of=data["alias_of"],
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
class HistoryChange:
    id: int
    changed_at: int
    """Unix seconds."""
    kind: Literal[
        "link.created",
        "link.updated",
        "link.disabled",
        "link.enabled",
        "link.transferred",
        "link.deleted",
        "bundle.created",
        "bundle.updated",
        "bundle.archived",
        "bundle.unarchived",
        "bundle.transferred",
        "bundle.deleted",
        "bundle.link_added",
        "bundle.link_removed",
    ]
    link_id: int | None
    bundle_id: int | None
    identity: str
    """The person who wrote, or for whom a program did."""
    via: Literal["api", "app", "mcp", "import", "cli", "watch", "code"]
    assistant: str | None
    """The program: `key:` and the id of an API key, `client:` and the client id of a token, `client` for tokens that name none, `access`, or `local`."""
    assistant_name: str | None
    """Title of the API key, for its person and administrators."""
    tool: str | None
    """The tool of the MCP endpoint."""
    request_id: str | None
    """As in `X-Request-Id` of the answer to the write."""
    plan_id: int | None
    version: int | None
    """Version of the link since the change."""
    before: dict[str, Any] | None
    """The replaced values; null at a creation, all at a deletion."""
    after: dict[str, Any] | None
    """The new values; all at a creation, null at a deletion."""

    @classmethod
    def from_json(cls, data: Any) -> HistoryChange:
        return cls(
            id=data["id"],
            changed_at=data["changed_at"],
            kind=data["kind"],
            link_id=data["link_id"],
            bundle_id=data["bundle_id"],
            identity=data["identity"],
            via=data["via"],
            assistant=data["assistant"],
            assistant_name=data["assistant_name"],
            tool=data["tool"],
            request_id=data["request_id"],
            plan_id=data["plan_id"],
            version=data["version"],
            before=data["before"],
            after=data["after"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoResult:
    undone: int
    """The number of links, bundles and memberships that changed back."""
    remaining: list[RemainingChange]
    """What stays, and why."""

    @classmethod
    def from_json(cls, data: Any) -> UndoResult:
        return cls(
            undone=data["undone"],
            remaining=many(data["remaining"], RemainingChange.from_json),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RemainingChange:
    kind: Literal[
        "link.created",
        "link.updated",
        "link.disabled",
        "link.enabled",
        "link.transferred",
        "link.deleted",
        "bundle.created",
        "bundle.updated",
        "bundle.archived",
        "bundle.unarchived",
        "bundle.transferred",
        "bundle.deleted",
        "bundle.link_added",
        "bundle.link_removed",
    ]
    link_id: int | None
    bundle_id: int | None
    code: str
    """The error code of the reason."""
    reason: str

    @classmethod
    def from_json(cls, data: Any) -> RemainingChange:
        return cls(
            kind=data["kind"],
            link_id=data["link_id"],
            bundle_id=data["bundle_id"],
            code=data["code"],
            reason=data["reason"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    id: int
    title: str | None
    state: Literal["open", "applied", "discarded", "undone", "expired"]
    identity: str
    """The person whose plan it is."""
    via: Literal["api", "app", "mcp", "import", "cli", "watch", "code"]
    assistant: str | None
    """The program: `key:` and the id of an API key, `client:` and the client id of a token, `client` for tokens that name none, `access`, or `local`."""
    assistant_name: str | None
    """Title of the API key, for its person and administrators."""
    created_at: int
    expires_at: int
    """It cannot be applied from then on."""
    applied_at: int | None
    undone_at: int | None
    op_count: int
    change_count: int
    destructive: bool
    """It deletes or disables something, or changes where visitors are redirected or who owns it."""
    warnings: list[PlanWarning]
    ops: list[PlanOp]
    diff: list[PlanChange]
    """Each change, with the values of history. Before the plan is applied without automatic slugs, which are chosen then."""
    versions: list[PlanVersion]
    """The versions of what the plan depends on."""
    links: list[PlanLink]
    """The links of the plan as they are now."""
    bundles: list[PlanBundle]
    """The bundles of the plan as they are now."""

    @classmethod
    def from_json(cls, data: Any) -> Plan:
        return cls(
            id=data["id"],
            title=data["title"],
            state=data["state"],
            identity=data["identity"],
            via=data["via"],
            assistant=data["assistant"],
            assistant_name=data["assistant_name"],
            created_at=data["created_at"],
            expires_at=data["expires_at"],
            applied_at=data["applied_at"],
            undone_at=data["undone_at"],
            op_count=data["op_count"],
            change_count=data["change_count"],
            destructive=data["destructive"],
            warnings=many(data["warnings"], PlanWarning.from_json),
            ops=data["ops"],
            diff=many(data["diff"], PlanChange.from_json),
            versions=many(data["versions"], PlanVersion.from_json),
            links=many(data["links"], PlanLink.from_json),
            bundles=many(data["bundles"], PlanBundle.from_json),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanWarning:
    code: Literal[
        "deletes_links",
        "deletes_bundles",
        "disables_links",
        "expires_links",
        "removes_slugs",
        "changes_destinations",
        "transfers",
        "new_hosts",
        "forbidden_hosts",
        "links_of_others",
        "many_links",
        "refused_items",
    ]
    count: int
    """The number of links, bundles, slugs, hosts or items."""
    clicks: int | None = None
    """Their clicks so far; those of deleted links are deleted with them."""
    hosts: list[str] | None = None
    """All hosts of `new_hosts`, to which no link of the person leads yet, and of `forbidden_hosts`, which the policy of the program forbids. Lists of plans leave them out."""

    @classmethod
    def from_json(cls, data: Any) -> PlanWarning:
        return cls(
            code=data["code"],
            count=data["count"],
            clicks=data.get("clicks"),
            hosts=data.get("hosts"),
        )


PlanOp = TypedDict(
    "PlanOp",
    {
        "operation": "str",
        "params": "dict[str, Any]",
        "query": "dict[str, Any]",
        "body": "dict[str, Any]",
    },
    total=False,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanChange:
    kind: Literal[
        "link.created",
        "link.updated",
        "link.disabled",
        "link.enabled",
        "link.transferred",
        "link.deleted",
        "bundle.created",
        "bundle.updated",
        "bundle.archived",
        "bundle.unarchived",
        "bundle.transferred",
        "bundle.deleted",
        "bundle.link_added",
        "bundle.link_removed",
    ]
    link_id: int | None
    """Negative, until the plan is applied, for a link that it creates."""
    bundle_id: int | None
    """As `link_id`."""
    before: dict[str, Any] | None
    """The replaced values; null at a creation, all at a deletion."""
    after: dict[str, Any] | None
    """The new values; all at a creation, null at a deletion."""

    @classmethod
    def from_json(cls, data: Any) -> PlanChange:
        return cls(
            kind=data["kind"],
            link_id=data["link_id"],
            bundle_id=data["bundle_id"],
            before=data["before"],
            after=data["after"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanVersion:
    link_id: int | None
    bundle_id: int | None
    version: str

    @classmethod
    def from_json(cls, data: Any) -> PlanVersion:
        return cls(
            link_id=data["link_id"],
            bundle_id=data["bundle_id"],
            version=data["version"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanLink:
    id: int
    slug: str
    domain: str | None = None
    """Absent on the default domain."""
    label: str | None
    url: str

    @classmethod
    def from_json(cls, data: Any) -> PlanLink:
        return cls(
            id=data["id"],
            slug=data["slug"],
            domain=data.get("domain"),
            label=data["label"],
            url=data["url"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanBundle:
    id: int
    name: str

    @classmethod
    def from_json(cls, data: Any) -> PlanBundle:
        return cls(
            id=data["id"],
            name=data["name"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanSummary:
    id: int
    title: str | None
    state: Literal["open", "applied", "discarded", "undone", "expired"]
    identity: str
    """The person whose plan it is."""
    via: Literal["api", "app", "mcp", "import", "cli", "watch", "code"]
    assistant: str | None
    """The program: `key:` and the id of an API key, `client:` and the client id of a token, `client` for tokens that name none, `access`, or `local`."""
    assistant_name: str | None
    """Title of the API key, for its person and administrators."""
    created_at: int
    expires_at: int
    """It cannot be applied from then on."""
    applied_at: int | None
    undone_at: int | None
    op_count: int
    change_count: int
    destructive: bool
    """It deletes or disables something, or changes where visitors are redirected or who owns it."""
    warnings: list[PlanWarning]

    @classmethod
    def from_json(cls, data: Any) -> PlanSummary:
        return cls(
            id=data["id"],
            title=data["title"],
            state=data["state"],
            identity=data["identity"],
            via=data["via"],
            assistant=data["assistant"],
            assistant_name=data["assistant_name"],
            created_at=data["created_at"],
            expires_at=data["expires_at"],
            applied_at=data["applied_at"],
            undone_at=data["undone_at"],
            op_count=data["op_count"],
            change_count=data["change_count"],
            destructive=data["destructive"],
            warnings=many(data["warnings"], PlanWarning.from_json),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanUndo:
    undone: int
    """The number of links, bundles and memberships that changed back."""
    remaining: list[RemainingChange]
    """What stays, and why."""
    plan: Plan

    @classmethod
    def from_json(cls, data: Any) -> PlanUndo:
        return cls(
            undone=data["undone"],
            remaining=many(data["remaining"], RemainingChange.from_json),
            plan=Plan.from_json(data["plan"]),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ClickStats:
    total_clicks: int
    delta_pct: int | None = None
    """Change in percent from the previous period; absent if that had no clicks."""
    unique_visitors: int
    """One per visitor and UTC day. 0 beside clicks: unknown, as of imported clicks."""
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
    """One per visitor and UTC day. 0 beside clicks: unknown, as of imported clicks."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    id: int
    url: str
    types: list[EventType]
    """Empty for all types but `link.imported`."""
    bundle: int | None
    created_by: str
    """Identity of its creator. Events that this person may not read are not delivered."""
    created_at: int
    updated_at: int
    position: int
    """All events up to this `seq` are delivered or do not concern it."""
    disabled_at: int | None
    """Unix seconds. With `failing_since`, the service disabled it after five days of failures."""
    failing_since: int | None
    """Unix seconds of the first failed attempt of the event after `position`."""
    next_attempt_at: int | None
    """Unix seconds; set while it is failing."""
    previous_secret_until: int | None
    """Unix seconds until which the secret before the rotation signs as well."""
    last_failure: WebhookDelivery | None = None
    """The latest failed delivery of a failing webhook."""

    @classmethod
    def from_json(cls, data: Any) -> Webhook:
        return cls(
            id=data["id"],
            url=data["url"],
            types=data["types"],
            bundle=data["bundle"],
            created_by=data["created_by"],
            created_at=data["created_at"],
            updated_at=data["updated_at"],
            position=data["position"],
            disabled_at=data["disabled_at"],
            failing_since=data["failing_since"],
            next_attempt_at=data["next_attempt_at"],
            previous_secret_until=data["previous_secret_until"],
            last_failure=maybe(data.get("last_failure"), WebhookDelivery.from_json),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookDelivery:
    id: int
    seq: int | None
    """The event; null for a test."""
    type: str
    attempt: int
    attempted_at: int
    duration_ms: int
    delivered: bool
    """The status is 2xx."""
    status: int | None
    answer: str | None
    """The first 4 KiB of the answer."""
    error: Literal["timeout", "unreachable"] | None
    """`unreachable`: no connection, no such host, or an address that is neither public nor in `LINKS_WEBHOOK_ALLOW`."""

    @classmethod
    def from_json(cls, data: Any) -> WebhookDelivery:
        return cls(
            id=data["id"],
            seq=data["seq"],
            type=data["type"],
            attempt=data["attempt"],
            attempted_at=data["attempted_at"],
            duration_ms=data["duration_ms"],
            delivered=data["delivered"],
            status=data["status"],
            answer=data["answer"],
            error=data["error"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateWebhookResult:
    webhook: Webhook
    secret: str
    """Signing secret, `whsec_…`; it is not shown again."""

    @classmethod
    def from_json(cls, data: Any) -> CreateWebhookResult:
        return cls(
            webhook=Webhook.from_json(data["webhook"]),
            secret=data["secret"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteWebhookResult:
    ok: Literal[True]

    @classmethod
    def from_json(cls, data: Any) -> DeleteWebhookResult:
        return cls(
            ok=data["ok"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RotateWebhookSecretResult:
    webhook: Webhook
    secret: str
    """Signing secret, `whsec_…`; it is not shown again."""

    @classmethod
    def from_json(cls, data: Any) -> RotateWebhookSecretResult:
        return cls(
            webhook=Webhook.from_json(data["webhook"]),
            secret=data["secret"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookDeliveryDetails:
    id: int
    seq: int | None
    """The event; null for a test."""
    type: str
    attempt: int
    attempted_at: int
    duration_ms: int
    delivered: bool
    """The status is 2xx."""
    status: int | None
    answer: str | None
    """The first 4 KiB of the answer."""
    error: Literal["timeout", "unreachable"] | None
    """`unreachable`: no connection, no such host, or an address that is neither public nor in `LINKS_WEBHOOK_ALLOW`."""
    request: DeliveryRequest | None = None
    """Absent for a delivery before requests were stored."""

    @classmethod
    def from_json(cls, data: Any) -> WebhookDeliveryDetails:
        return cls(
            id=data["id"],
            seq=data["seq"],
            type=data["type"],
            attempt=data["attempt"],
            attempted_at=data["attempted_at"],
            duration_ms=data["duration_ms"],
            delivered=data["delivered"],
            status=data["status"],
            answer=data["answer"],
            error=data["error"],
            request=maybe(data.get("request"), DeliveryRequest.from_json),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryRequest:
    url: str
    headers: list[DeliveryHeader]
    body: str | None
    """What was sent, without clicks deleted since; null once the event is not stored any more. For a webhook of a bundle, what is of its present bundle and links."""

    @classmethod
    def from_json(cls, data: Any) -> DeliveryRequest:
        return cls(
            url=data["url"],
            headers=many(data["headers"], DeliveryHeader.from_json),
            body=data["body"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryHeader:
    name: str
    value: str

    @classmethod
    def from_json(cls, data: Any) -> DeliveryHeader:
        return cls(
            name=data["name"],
            value=data["value"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class EventPage:
    events: list[Event]
    last_seq: int
    """`after` of the next request."""

    @classmethod
    def from_json(cls, data: Any) -> EventPage:
        return cls(
            events=many(data["events"], Event.from_json),
            last_seq=data["last_seq"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    seq: int
    """Greater than that of every earlier event."""
    type: Literal[
        "link.created",
        "link.updated",
        "link.disabled",
        "link.enabled",
        "link.transferred",
        "link.deleted",
        "bundle.created",
        "bundle.updated",
        "bundle.archived",
        "bundle.unarchived",
        "bundle.transferred",
        "bundle.deleted",
        "bundle.link_added",
        "bundle.link_removed",
        "link.clicked",
        "link.expired",
        "link.limit_reached",
        "link.imported",
        "plan.pending",
    ]
    at: int
    """Unix seconds."""
    data: EventData

    @classmethod
    def from_json(cls, data: Any) -> Event:
        return cls(
            seq=data["seq"],
            type=data["type"],
            at=data["at"],
            data=EventData.from_json(data["data"]),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class EventData:
    link_id: int | None = None
    bundle_id: int | None = None
    plan_id: int | None = None
    identity: str | None = None
    """The person who wrote, or for whom a program did."""
    via: Literal["api", "app", "mcp", "import", "cli", "watch", "code"] | None = None
    version: int | None = None
    """Version of the link since the write."""
    link: dict[str, Any] | None = None
    """The link after the event, or before its deletion. Secrets are only `set`."""
    bundle: dict[str, Any] | None = None
    """The bundle after the event, or before its deletion."""
    changed: list[str] | None = None
    """Fields that an update changed."""
    clicks: list[EventClick] | None = None
    """At most 500."""
    count: int | None = None
    """Links that an import has stored together."""
    first: int | None = None
    """The `seq` of the first event of these links."""
    last: int | None = None
    """The `seq` of the last event of these links."""

    @classmethod
    def from_json(cls, data: Any) -> EventData:
        return cls(
            link_id=data.get("link_id"),
            bundle_id=data.get("bundle_id"),
            plan_id=data.get("plan_id"),
            identity=data.get("identity"),
            via=data.get("via"),
            version=data.get("version"),
            link=data.get("link"),
            bundle=data.get("bundle"),
            changed=data.get("changed"),
            clicks=maybe(data.get("clicks"), lambda items: many(items, EventClick.from_json)),
            count=data.get("count"),
            first=data.get("first"),
            last=data.get("last"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class EventClick:
    id: int
    link_id: int
    slug: str
    domain: str | None = None
    """Host of the domain; absent on the default domain."""
    legacy_path: str | None = None
    """The legacy path that the visitor came by; absent for a slug."""
    clicked_at: int
    country: str | None
    device_type: str | None
    os: str | None
    browser: str | None

    @classmethod
    def from_json(cls, data: Any) -> EventClick:
        return cls(
            id=data["id"],
            link_id=data["link_id"],
            slug=data["slug"],
            domain=data.get("domain"),
            legacy_path=data.get("legacy_path"),
            clicked_at=data["clicked_at"],
            country=data["country"],
            device_type=data["device_type"],
            os=data["os"],
            browser=data["browser"],
        )


NewLink = TypedDict(
    "NewLink",
    {
        "url": "str",
        "slug": "str",
        "custom_slug": "str",
        "label": "str | None",
        "slug_length": "int",
        "expires_at": "int | None",
        "allow_duplicate": "bool",
    },
    total=False,
)
