"""Calls every method of the published shrtnr SDK 1.3.0, unchanged.

Usage: python_sdk.py BASE_URL SHORT_ORIGIN KEY OTHER_KEY. Prints `ok`, or ends with a traceback.
"""

import asyncio
import dataclasses
import sys

import shrtnr
from shrtnr import AsyncShrtnr, Shrtnr, ShrtnrError

BASE_URL, SHORT_ORIGIN, KEY, OTHER_KEY = sys.argv[1:5]
called = set()

class Counted:
    """Wraps a resource, so that its methods are awaited where they have to be, and noted."""

    def __init__(self, resource):
        self._resource = resource

    def __getattr__(self, name):
        method = getattr(self._resource, name)

        async def call(*args, **kwargs):
            called.add(f"{type(self._resource).__name__.lower()}.{name}")
            answer = method(*args, **kwargs)
            return await answer if asyncio.iscoroutine(answer) else answer

        return call


async def refused(status, message, answer):
    try:
        await answer
    except ShrtnrError as error:
        assert (error.status, error.server_message) == (status, message), error
    else:
        raise AssertionError(f"expected {status} {message}")


async def use_links(client, other, tag):
    links, slugs = Counted(client.links), Counted(client.slugs)
    target = f"https://example.com/python/{tag}"
    link = await links.create(url=target, label="First", slug_length=5, expires_at=4102444800)
    assert (link.url, link.label, link.expires_at) == (target, "First", 4102444800)
    assert (link.created_via, link.created_by) == ("sdk", "ann@example.com")
    assert (link.total_clicks, link.delta_pct, link.short_origin) == (0, None, SHORT_ORIGIN)
    auto = link.slugs[0]
    assert (len(auto.slug), auto.link_id, auto.is_custom, auto.is_primary) == (5, link.id, 0, 1)
    assert (auto.click_count, auto.created_at, auto.disabled_at) == (0, link.created_at, None)

    again = await links.create(url=target + "/")
    assert again == link, "a duplicate is the link itself"
    twin = await links.create(url=target, allow_duplicate=True)
    assert twin.id != link.id

    assert await links.get(link.id) == link
    ranged = await links.get(link.id, range="7d")
    assert (ranged.total_clicks, ranged.delta_pct) == (0, None)
    listed = await links.list(owner="ann@example.com", range="all")
    assert [each for each in listed if each.id == link.id] == [link]
    assert await links.list(owner="nobody@example.com") == []

    changed = await links.update(link.id, url=target + "/moved", label="Second")
    assert (changed.url, changed.label, changed.expires_at) == (target + "/moved", "Second", 4102444800)
    cleared = await links.update(link.id, label=None, expires_at=None)
    assert (cleared.label, cleared.expires_at, cleared.url) == (None, None, target + "/moved")

    assert (await links.disable(link.id)).id == link.id
    assert (await links.enable(link.id)) == cleared

    name = f"Py.{tag}_A~b"
    slug = await slugs.add(link.id, name)
    assert (slug.slug, slug.link_id, slug.is_custom, slug.is_primary) == (name.lower(), link.id, 1, 1)
    assert await slugs.lookup(name) == await links.get(link.id)
    disabled = await slugs.disable(link.id, name)
    assert disabled.disabled_at is not None and disabled.is_primary == 0
    assert (await slugs.enable(link.id, name)).disabled_at is None

    svg = await links.qr(link.id, slug=name, size=64)
    assert svg.startswith("<svg") and 'width="64"' in svg
    assert (await links.qr(link.id)).startswith("<svg")

    assert (await Counted(client.config).get()).short_origin == SHORT_ORIGIN
    stats = await links.analytics(link.id, range="7d")
    assert (stats.total_clicks, stats.countries, stats.slug_clicks) == (0, [], [])
    assert (await links.timeline(link.id, range="7d")).summary.last_7d == 0
    assert (await links.breakdown(link.id, dimension="countries")).total == 0

    stranger = Counted(other.links)
    await refused(403, "Only the link owner can update this link", stranger.update(link.id, label="Mine"))
    await refused(403, "Only the link owner can remove slugs on this link", Counted(other.slugs).remove(link.id, name))
    await refused(409, "Slug already exists", slugs.add(twin.id, name))
    await refused(404, "Link not found", links.get(999999))
    await refused(404, "Link not found", slugs.lookup("no-such-slug"))
    await refused(400, "url must use http or https", links.create(url="javascript:alert(1)"))
    return link, name


async def use_bundles(client, link, tag):
    bundles, links = Counted(client.bundles), Counted(client.links)
    plain = await bundles.create(name=f"Plain {tag}")
    assert (plain.accent, plain.description, plain.icon, plain.archived_at) == ("orange", None, None, None)
    bundle = await bundles.create(name=f"Spring {tag}", description="All of it", icon="leaf", accent="green")
    assert (bundle.name, bundle.description, bundle.icon) == (f"Spring {tag}", "All of it", "leaf")
    assert (bundle.accent, bundle.created_via, bundle.created_by) == ("green", "sdk", "ann@example.com")
    assert bundle.created_at == bundle.updated_at

    assert (await bundles.add_link(bundle.id, link.id)).added
    assert (await bundles.add_link(bundle.id, link.id)).added
    assert [each.id for each in await bundles.links(bundle.id)] == [link.id]
    assert await links.bundles(link.id) == [bundle]

    summary = await bundles.get(bundle.id, range="30d")
    assert (summary.link_count, summary.total_clicks, summary.delta_pct) == (1, 0, None)
    assert isinstance(summary.sparkline, list)
    shared = {field.name for field in dataclasses.fields(shrtnr.Bundle)}
    assert all(getattr(summary, name) == getattr(bundle, name) for name in shared)
    assert bundle.id in [each.id for each in await bundles.list(range="7d")]

    stats = await bundles.analytics(bundle.id, range="30d")
    assert (stats.total_clicks, stats.clicks_over_time) == (0, [])
    assert (await bundles.breakdown(bundle.id, dimension="referrers")).items == []

    renamed = await bundles.update(bundle.id, name="Renamed", description=None, accent="blue")
    assert (renamed.name, renamed.description, renamed.icon, renamed.accent) == ("Renamed", None, "leaf", "blue")

    assert (await bundles.archive(bundle.id)).archived_at is not None
    assert bundle.id not in [each.id for each in await bundles.list()]
    for archived in ("true", "1", "only"):
        assert [each.id for each in await bundles.list(archived=archived)] == [bundle.id]
    assert {bundle.id, plain.id} <= {each.id for each in await bundles.list(archived="all")}
    assert await links.bundles(link.id) == []
    assert (await bundles.unarchive(bundle.id)).archived_at is None

    assert (await bundles.remove_link(bundle.id, link.id)).removed
    assert not (await bundles.remove_link(bundle.id, link.id)).removed
    assert (await bundles.delete(bundle.id)).deleted
    assert (await bundles.delete(plain.id)).deleted
    await refused(404, "Bundle not found", bundles.get(bundle.id))


async def use_all(client, other, tag):
    link, name = await use_links(client, other, tag)
    await use_bundles(client, link, tag)
    assert (await Counted(client.slugs).remove(link.id, name)).removed
    assert (await Counted(client.links).delete(link.id)).deleted
    await refused(404, "Link not found", Counted(client.links).get(link.id))


async def main():
    with Shrtnr(BASE_URL, api_key=KEY) as client, Shrtnr(BASE_URL, api_key=OTHER_KEY) as other:
        await use_all(client, other, "sync")
    async with AsyncShrtnr(BASE_URL + "/", api_key=KEY) as client, AsyncShrtnr(BASE_URL, api_key=OTHER_KEY) as other:
        await use_all(client, other, "async")
    with Shrtnr(BASE_URL, api_key="sk_wrong") as nobody:
        await refused(401, "Unauthorized", Counted(nobody.links).list())
    for resource in ("Links", "Slugs", "Bundles", "Config"):
        for kind in (resource, f"Async{resource}"):
            methods = vars(getattr(sys.modules[f"shrtnr.resources.{resource.lower()}"], kind))
            names = {f"{resource.lower()}.{name}" for name in methods if not name.startswith("_")}
            wanted = {f"{kind.lower()}.{name.split('.')[1]}" for name in names}
            assert wanted <= called, f"never called: {wanted - called}"
    print("ok")


asyncio.run(main())
