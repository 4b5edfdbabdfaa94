"""Every operation against a running service, with both clients.

LINKS_URL is its address. ANN_KEY and BEN_KEY have all scopes; READ_KEY is Ann's and read-only.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from inspect import isawaitable
from typing import Any

import httpx
import pytest

from latchkey_links import AsyncLinksClient, LinksApiError, LinksClient, models

URL = os.environ["LINKS_URL"]
ANN, BEN, READER = (os.environ[name] for name in ("ANN_KEY", "BEN_KEY", "READ_KEY"))

Scenario = Callable[[str, Any, Any, Any], Coroutine[Any, Any, None]]


async def done(call: Any) -> Any:
    """Return the answer of the call, blocking or not."""
    return await call if isawaitable(call) else call


async def every(items: Any) -> list[Any]:
    """Return all items of an iterator, blocking or not."""
    return [item async for item in items] if hasattr(items, "__aiter__") else list(items)


async def refused(call: Callable[[], Any]) -> LinksApiError:
    with pytest.raises(LinksApiError) as caught:
        await done(call())
    return caught.value


def visit(slug: str) -> int:
    """Follow the link as a visitor."""
    return httpx.get(f"{URL}/{slug}").status_code


def act(kind: str, scenario: Scenario) -> None:
    async def run() -> None:
        async with AsyncExitStack() as stack:
            clients: list[Any] = []
            for key in (ANN, BEN, READER):
                if kind == "sync":
                    clients.append(stack.enter_context(LinksClient(URL, api_key=key)))
                else:
                    client = AsyncLinksClient(URL, api_key=key)
                    clients.append(await stack.enter_async_context(client))
            await scenario(kind, clients[0], clients[1], clients[2])

    asyncio.run(run())


async def links(tag: str, ann: Any, ben: Any, reader: Any) -> None:
    url, slug = f"https://example.com/python/links/{tag}", f"py-{tag}"
    link = await done(ann.links.create(url=url, slug=slug.upper(), label="First", slug_length=6))
    assert isinstance(link, models.Link)
    assert (link.url, link.label, link.created_via) == (url, "First", "sdk")
    assert [(len(each.slug), each.is_primary) for each in link.slugs] == [(6, 0), (len(slug), 1)]
    again = await done(ann.links.create(url=url))
    assert (again.id, again.duplicate, again.duplicate_count) == (link.id, True, 1)
    assert await done(ben.links.get(link.id)) == link
    assert await done(ben.slugs.get_link(slug.upper())) == link
    page = await done(ben.links.list(owner="ann@example.com", search=slug, status="active"))
    assert (page.items, page.total, page.next_cursor) == ([link], 1, None)
    changed = await done(ann.links.update(link.id, label=None, expires_at=4_102_444_800))
    assert (changed.label, changed.expires_at, changed.url) == (None, 4_102_444_800, url)
    assert (await done(ann.links.update(link.id))).expires_at == 4_102_444_800
    assert (await done(ann.links.disable(link.id))).disabled_at is not None
    assert visit(slug) == 404
    assert (await done(ann.links.enable(link.id))).disabled_at is None
    assert visit(slug) == 302
    error = await refused(lambda: ann.links.delete(link.id))
    assert error.message == "Cannot delete a link with clicks, disable it instead"
    assert (await done(ann.links.delete(link.id, force=True))).deleted is True
    assert (await refused(lambda: ann.links.get(link.id))).code == "link_not_found"


async def many(tag: str, ann: Any, ben: Any, reader: Any) -> None:
    url = f"https://example.com/python/many/{tag}"
    created = await done(ann.bulk.create_links(items=[{"url": url}, {"url": "nonsense"}]))
    first, second = created.results
    assert (first.index, first.status, first.link.url, first.error) == (0, 201, url, None)
    assert (second.index, second.status, second.code, second.link) == (1, 400, "url_invalid", None)
    invalid = [{"url": "nonsense"}]
    error = await refused(lambda: ann.bulk.create_links(mode="all", items=invalid))
    assert error.message == "items[0]: url must be a valid URL"
    changed = await done(ann.bulk.update_links(ids=[first.link.id], set={"label": "Many"}))
    assert changed.results[0].link == await done(reader.links.get(first.link.id))
    assert changed.results[0].link.label == "Many"


async def ownership(tag: str, ann: Any, ben: Any, reader: Any) -> None:
    link = await done(ann.links.create(url=f"https://example.com/python/given/{tag}"))
    bundle = await done(ann.bundles.create(name=f"Given {tag}"))
    owner = "ben@example.com"
    assert (await done(ann.links.transfer(link.id, owner=owner))).created_by == owner
    assert (await done(ann.bundles.transfer(bundle.id, owner=owner))).created_by == owner
    error = await refused(lambda: ben.links.transfer(link.id, owner="unknown@example.com"))
    assert error.code == "owner_unknown"


async def history(tag: str, ann: Any, ben: Any, reader: Any) -> None:
    id = (
        await done(ann.links.create(url=f"https://example.com/python/past/{tag}", label="Past"))
    ).id
    await done(ann.links.update(id, label="Present"))
    page = await done(reader.links.list_history(id))
    assert [change.kind for change in page.items] == ["link.updated", "link.created"]
    assert (page.total, page.items[0].before) == (2, {"label": "Past"})
    latest = (await done(reader.changes.list(limit=1))).items[0]
    assert latest == page.items[0]
    restored = await done(ann.links.restore(id, change_id=page.items[1].id))
    assert restored.label == "Past"
    error = await refused(lambda: ben.links.restore(id, change_id=1))
    assert error.code == "not_owner_restore"


async def events(tag: str, ann: Any, ben: Any, reader: Any) -> None:
    after = (await done(reader.events.list())).last_seq
    id = (await done(ann.links.create(url=f"https://example.com/python/event/{tag}"))).id
    page = await done(reader.events.list(after=after, types="link.created", wait=10))
    assert [(event.type, event.data.link_id) for event in page.events] == [("link.created", id)]
    error = await refused(lambda: reader.events.list(after=999_999_999))
    assert error.code == "events_deleted"


async def webhooks(tag: str, ann: Any, ben: Any, reader: Any) -> None:
    created = await done(
        ann.webhooks.create(url="http://receiver.invalid/", types=["link.created"])
    )
    id = created.webhook.id
    assert created.secret.startswith("whsec_")
    assert await done(reader.webhooks.get(id)) == created.webhook
    assert id in [webhook.id for webhook in await done(reader.webhooks.list())]
    assert (await done(ann.webhooks.update(id, disabled=True))).disabled_at is not None
    assert (await done(ann.webhooks.rotate_secret(id))).secret != created.secret
    outcome = await done(ann.webhooks.test(id))
    assert (outcome.delivered, outcome.type) == (False, "webhook.test")
    assert await done(reader.webhooks.list_deliveries(id)) == [outcome]
    assert (await done(reader.webhooks.delivery(id, outcome.id))).id == outcome.id
    again = await done(ann.webhooks.resend_delivery(id, outcome.id))
    assert (again.delivered, again.type) == (False, "webhook.test")
    assert (await done(ann.webhooks.replay(id, from_=1))).position == 0
    assert (await refused(lambda: ben.webhooks.delete(id))).code == "webhook_not_found"
    assert (await done(ann.webhooks.delete(id))).ok is True


async def plans(tag: str, ann: Any, ben: Any, reader: Any) -> None:
    id = (await done(ann.links.create(url=f"https://example.com/python/planned/{tag}"))).id
    ops = [{"operation": "updateLink", "params": {"id": id}, "body": {"label": "Planned"}}]
    plan = await done(ann.plans.create(title="Labels", ops=ops))
    assert (plan.state, plan.diff[0].link_id) == ("open", id)
    assert await done(reader.plans.get(plan.id)) == plan
    assert (await done(ann.plans.apply(plan.id))).state == "applied"
    assert (await done(ann.links.get(id))).label == "Planned"
    undo = await done(ann.plans.undo(plan.id))
    assert (undo.undone, undo.remaining) == (1, [])
    other = await done(ann.plans.create(ops=ops))
    assert (await done(ann.plans.discard(other.id))).state == "discarded"
    page = await done(reader.plans.list(limit=2))
    assert [each.state for each in page.items] == ["discarded", "undone"]
    error = await refused(lambda: ben.plans.get(plan.id))
    assert error.code == "plan_not_found"
    assert (await done(ann.changes.undo(since=253402300000))).undone == 0


async def walking(tag: str, ann: Any, ben: Any, reader: Any) -> None:
    search = f"python/walk/{tag}/"
    for n in range(5):
        await done(ben.links.create(url=f"https://example.com/{search}{n}"))
    links = await every(ann.links.list_all(search=search, limit=2))
    assert len({link.id for link in links}) == len(links) == 5
    assert (await done(ann.links.list(search=search, limit=2))).total == 5


async def slugs(tag: str, ann: Any, ben: Any, reader: Any) -> None:
    first, second = f"py-{tag}-a", f"py-{tag}-b"
    id = (await done(ann.links.create(url=f"https://example.com/python/slugs/{tag}"))).id
    added = await done(ben.links.add_slug(id, slug=first))
    assert (added.link_id, added.slug, added.is_primary) == (id, first, 0)
    assert (await done(ann.slugs.add(link_id=id, slug=second))).slug == second
    assert (await done(reader.legacy.list_paths(path=f"Old-{tag}"))).items == []
    assert (await done(ann.links.disable_slug(id, first))).disabled_at is not None
    assert (await done(ann.links.enable_slug(id, first))).disabled_at is None
    assert (await done(ann.slugs.disable(second))).disabled_at is not None
    assert (await done(ann.slugs.enable(second))).disabled_at is None

    def primary(link: models.Link) -> list[str]:
        return [slug.slug for slug in link.slugs if slug.is_primary]

    assert primary(await done(ann.links.set_primary_slug(id, first))) == [first]
    assert primary(await done(ann.slugs.set_primary(second))) == [second]
    assert (await done(ann.links.remove_slug(id, first))).removed is True
    visit(second)
    assert (await refused(lambda: ann.slugs.remove(second))).status == 400
    assert (await done(ann.slugs.remove(second, force=True))).removed is True


async def figures(tag: str, ann: Any, ben: Any, reader: Any) -> None:
    slug = f"py-{tag}-f"
    created = await done(ann.links.create(url=f"https://example.com/python/f/{tag}", slug=slug))
    id = created.id
    visit(slug)
    visit(f"{slug}?utm_source=letter")
    stats = await done(reader.links.analytics(id, range="7d", tz="Europe/Stockholm"))
    assert (stats.total_clicks, stats.delta_pct) == (2, None)
    assert stats.utm_sources == [models.NameCount(name="letter", count=1)]
    timeline = await done(reader.links.timeline(id, range="24h"))
    assert sum(bucket.count for bucket in timeline.buckets) == timeline.summary.last_24h == 2
    breakdown = await done(reader.links.breakdown(id, dimension="utm_sources"))
    assert (breakdown.items, breakdown.total) == (stats.utm_sources, 1)
    walked = await every(reader.links.breakdown_all(id, dimension="utm_sources", limit=1))
    assert walked == stats.utm_sources
    assert (await done(reader.config.get())).short_origin == created.short_origin
    svg = await done(reader.links.qr(id))
    assert (svg.content_type, svg.text[:4]) == ("image/svg+xml", "<svg")
    png = await done(reader.links.qr(id, format="png", size=400, level="H"))
    assert (png.content_type, png.content[:4]) == ("image/png", b"\x89PNG")


async def bundles(tag: str, ann: Any, ben: Any, reader: Any) -> None:
    slug = f"py-{tag}-bundled"
    link = await done(ann.links.create(url=f"https://example.com/python/b/{tag}", slug=slug))
    bundle = await done(ann.bundles.create(name=f"Spring {tag}", accent="green"))
    id = bundle.id
    updated = await done(ann.bundles.update(id, description="All of it"))
    assert (updated.name, updated.description) == (bundle.name, "All of it")
    assert (await done(ben.bundles.add_link(id, link_id=link.id))).added is True
    visit(slug)
    assert [each.id for each in (await done(ben.bundles.list_links(id))).items] == [link.id]
    assert len(await every(ben.bundles.list_all_links(id, limit=1))) == 1
    assert [each.name for each in await done(ben.links.list_bundles(link.id))] == [bundle.name]
    summary = await done(reader.bundles.get(id, range="24h"))
    assert (summary.link_count, summary.total_clicks, len(summary.top_links)) == (1, 1, 1)
    stats = await done(reader.bundles.analytics(id))
    assert (stats.bundle.id, stats.top_performer.slug) == (id, slug)
    assert [each.link_id for each in stats.per_link] == [link.id]
    channels = await done(reader.bundles.breakdown(id, dimension="channels"))
    assert channels.items == [models.NameCount(name="direct", count=1)]
    assert len(await every(reader.bundles.breakdown_all(id, dimension="channels"))) == 1
    assert (await done(ann.bundles.archive(id))).archived_at is not None
    assert id not in [each.id for each in (await done(ben.bundles.list())).items]
    assert id in [each.id for each in (await done(ben.bundles.list(archived="only"))).items]
    assert (await done(ann.bundles.unarchive(id))).archived_at is None
    assert id in [each.id for each in await every(ben.bundles.list_all())]
    assert (await done(ann.bundles.remove_link(id, link.id))).removed is True
    empty = await done(reader.bundles.analytics(id))
    assert (empty.top_performer, empty.top_country, empty.per_link) == (None, None, [])
    assert (await done(ann.bundles.delete(id))).deleted is True


async def behaviour(tag: str, ann: Any, ben: Any, reader: Any) -> None:
    slug = f"py-{tag}-behaviour"
    created = await done(ann.links.create(url=f"https://example.com/python/w/{tag}", slug=slug))
    id = created.id
    parts = [{"url": f"https://example.com/{name}", "weight": 1} for name in "ab"]
    hours = {"from": "09:00", "to": "17:00", "tz": "Europe/Stockholm"}
    rule = {"when": {"country": ["se"], "hours": hours}, "to": "https://example.com/se"}
    kept = await done(ann.links.set_behaviour(id, rules=[rule], split=parts, max_clicks=1))
    assert isinstance(kept, models.Behaviour)
    assert (kept.split, kept.clicks_left, kept.password) == (parts, 1, None)
    assert kept.rules == [{**rule, "when": {"country": ["SE"], "hours": hours}}]
    assert await done(reader.links.get_behaviour(id)) == kept
    agent = "Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0"
    noon = 1_801_137_600
    explained = await done(reader.links.explain(id, country="SE", user_agent=agent, at=noon))
    assert (explained.status, explained.location, explained.variant) == (302, rule["to"], "1")
    assert explained.counted.as_ == "human"
    assert (await done(reader.slugs.explain(slug, method="POST"))).status == 303
    assert (await refused(lambda: ben.links.set_behaviour(id, max_clicks=2))).status == 403
    promoted = await done(ann.links.promote_variant(id, variant="0.2"))
    assert (promoted.split, promoted.rules) == (None, kept.rules)
    assert (await done(reader.links.get(id))).url == parts[1]["url"]
    assert (await done(ann.links.delete_behaviour(id))).deleted is True
    assert await done(reader.links.get_behaviour(id)) == models.Behaviour()


async def domains(tag: str, ann: Any, ben: Any, reader: Any) -> None:
    default, domain = await done(reader.domains.list())
    assert isinstance(domain, models.Domain)
    assert (default.is_default, domain.is_default) == (True, False)
    assert await done(reader.domains.get(domain.host)) == domain
    url = f"https://example.com/python/domain/{tag}"
    link = await done(ann.domains.create_link(domain.host, url=url))
    assert await done(reader.links.get(link.id)) == link
    error = await refused(lambda: ben.domains.set(domain.host, robots="allow"))
    assert (error.status, error.code) == (403, "not_admin")
    assert await done(reader.domains.get(domain.host)) == domain


async def refusals(tag: str, ann: Any, ben: Any, reader: Any) -> None:
    link = await done(ann.links.create(url=f"https://example.com/python/mine/{tag}"))
    error = await refused(lambda: ben.links.update(link.id, label="Mine now"))
    assert (error.status, error.code) == (403, "not_owner_update")
    assert error.message == "Only the link owner can update this link"
    assert len(error.request_id or "") == 36
    assert await done(ann.links.get(link.id)) == link
    error = await refused(lambda: reader.links.create(url="https://example.com/"))
    assert (error.status, error.message) == (403, "Forbidden")
    with LinksClient(URL, api_key="sk_wrong") as stranger:
        assert (await refused(stranger.links.list)).code == "unauthorized"


@pytest.mark.parametrize(
    "scenario",
    [
        links,
        many,
        ownership,
        history,
        events,
        webhooks,
        plans,
        walking,
        slugs,
        figures,
        bundles,
        behaviour,
        domains,
        refusals,
    ],
)
def test_operations(kind: str, scenario: Scenario) -> None:
    act(kind, scenario)
