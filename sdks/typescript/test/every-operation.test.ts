import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { operationsNotCalled } from '../../testing/every-operation.ts'
import { failureOf } from '../../testing/fake-service.ts'
import { RunningService } from '../../testing/running-service.ts'
import { API_VERSION, DOCUMENT_SHA256, LinksApiError, LinksClient } from '../src/index.ts'

eachDialect((dialect, newUrl) => {
  describe(`the client and a running service on ${dialect}`, () => {
    let service: RunningService
    let ann: LinksClient
    let ben: LinksClient
    let reader: LinksClient

    beforeAll(async () => {
      service = new RunningService(await newUrl())
      await service.start()
      const clientOf = async (identity: string, scope?: string) =>
        new LinksClient({ baseUrl: service.url, apiKey: await service.newKey(identity, scope) })
      ann = await clientOf('ann@example.com')
      ben = await clientOf('ben@example.com')
      reader = await clientOf('ann@example.com', 'read')
    })
    afterAll(() => service.stop())

    /** Follows a link as a visitor. */
    const visit = (slug: string) => fetch(`${service.url}/${slug}`, { redirect: 'manual' })

    test('create, find, change and delete links', async () => {
      const url = 'https://example.com/sdk/links'
      const link = await ann.links.create({ url, slug: 'Sdk-One', label: 'First', slug_length: 6 })
      expect(link).toMatchObject({ url, label: 'First', created_via: 'sdk', created_by: 'ann@example.com' })
      expect(link.slugs.map(({ slug, is_primary }) => [slug.length, is_primary])).toEqual([
        [6, 0],
        [7, 1],
      ])
      expect(await ann.links.create({ url })).toMatchObject({
        id: link.id,
        duplicate: true,
        duplicate_count: 1,
      })
      expect(await ben.links.get(link.id)).toEqual(link)
      expect(await ben.slugs.getLink('SDK-one')).toEqual(link)
      const page = await ben.links.list({ owner: 'ann@example.com', search: 'sdk-o', status: 'active' })
      expect([page.items, page.total, page.nextCursor]).toEqual([[link], 1, undefined])
      const changed = await ann.links.update(link.id, { label: null, expires_at: 4_102_444_800 })
      expect(changed).toEqual({ ...link, label: null, expires_at: 4_102_444_800 })
      expect((await ann.links.disable(link.id)).disabled_at).toBeNumber()
      expect((await visit('sdk-one')).status).toBe(404)
      expect((await ann.links.enable(link.id)).disabled_at).toBeNull()
      expect((await visit('sdk-one')).status).toBe(302)
      expect(await failureOf(ann.links.delete(link.id))).toMatchObject({
        status: 400,
        message: 'Cannot delete a link with clicks, disable it instead',
      })
      expect(await ann.links.delete(link.id, { force: true })).toEqual({ deleted: true })
      expect(await failureOf(ann.links.get(link.id))).toMatchObject({ status: 404, code: 'link_not_found' })
    })

    test('create and change many links at once', async () => {
      const items = [{ url: 'https://example.com/sdk/many', label: 'Many' }, { url: 'nonsense' }]
      const { results } = await ann.bulk.createLinks({ items })
      expect(results).toMatchObject([
        { index: 0, status: 201, link: { label: 'Many', created_via: 'sdk' } },
        { index: 1, status: 400, code: 'url_invalid', error: 'url must be a valid URL' },
      ])
      expect(await failureOf(ann.bulk.createLinks({ mode: 'all', items }))).toMatchObject({
        status: 400,
        code: 'url_invalid',
        message: 'items[1]: url must be a valid URL',
      })
      const id = results[0]?.link?.id ?? 0
      const changed = await ann.bulk.updateLinks({ ids: [id], set: { disabled: true } })
      expect(changed.results[0]?.link?.disabled_at).toBeNumber()
      const filter = { search: 'sdk/many', status: 'disabled' as const }
      const labelled = await ann.bulk.updateLinks({ filter, set: { label: null } })
      expect(labelled.results).toMatchObject([{ index: 0, status: 200, link: { id, label: null } }])
    })

    test('iterate over all links, none twice', async () => {
      for (const n of [1, 2, 3, 4, 5])
        await ben.links.create({ url: `https://example.com/sdk/walk/${n}`, allow_duplicate: true })
      const seen: number[] = []
      for await (const { id } of ann.links.listAll({ owner: 'ben@example.com', limit: 2 })) seen.push(id)
      expect([seen.length, new Set(seen).size]).toEqual([5, 5])
      expect((await ann.links.list({ owner: 'ben@example.com', limit: 2 })).total).toBe(5)
    })

    test('add, disable, enable, make primary and remove slugs, by link and by slug', async () => {
      const { id } = await ann.links.create({ url: 'https://example.com/sdk/slugs' })
      expect(await ben.links.addSlug(id, { slug: 'sdk-a' })).toMatchObject({ link_id: id, is_primary: 0 })
      expect(await ann.slugs.add({ link_id: id, slug: 'sdk-b' })).toMatchObject({ slug: 'sdk-b' })
      expect(await reader.legacy.listPaths({ path: 'Old-B' })).toMatchObject({ items: [], total: 0 })
      expect((await ann.links.disableSlug(id, 'sdk-a')).disabled_at).toBeNumber()
      expect((await ann.links.enableSlug(id, 'sdk-a')).disabled_at).toBeNull()
      expect((await ann.slugs.disable('sdk-b')).disabled_at).toBeNumber()
      expect((await ann.slugs.enable('sdk-b')).disabled_at).toBeNull()
      const primaryOf = ({ slugs }: Awaited<ReturnType<typeof ann.links.get>>) =>
        slugs.filter((slug) => slug.is_primary === 1).map(({ slug }) => slug)
      expect(primaryOf(await ann.links.setPrimarySlug(id, 'sdk-a'))).toEqual(['sdk-a'])
      expect(primaryOf(await ann.slugs.setPrimary('sdk-b'))).toEqual(['sdk-b'])
      expect(await ann.links.removeSlug(id, 'sdk-a')).toEqual({ removed: true })
      await visit('sdk-b')
      expect(await failureOf(ann.slugs.remove('sdk-b'))).toMatchObject({ status: 400 })
      expect(await ann.slugs.remove('sdk-b', { force: true })).toEqual({ removed: true })
    })

    test('read statistics and QR codes', async () => {
      const { id } = await ann.links.create({ url: 'https://example.com/sdk/figures', slug: 'sdk-f' })
      await visit('sdk-f')
      await visit('sdk-f?utm_source=letter')
      const stats = await reader.links.analytics(id, { range: '7d', tz: 'Europe/Stockholm' })
      expect(stats).toMatchObject({ total_clicks: 2, utm_sources: [{ name: 'letter', count: 1 }] })
      expect(stats).not.toHaveProperty('delta_pct')
      const timeline = await reader.links.timeline(id, { range: '24h' })
      expect(timeline.buckets.reduce((sum, { count }) => sum + count, 0)).toBe(2)
      const breakdown = await reader.links.breakdown(id, { dimension: 'utm_sources' })
      expect(breakdown).toEqual({ items: [{ name: 'letter', count: 1 }], total: 1 })
      const { short_origin } = await reader.config.get()
      expect((await reader.links.get(id)).short_origin).toBe(short_origin)
      const svg = await reader.links.qr(id)
      expect([svg.type, (await svg.text()).slice(0, 4)]).toEqual(['image/svg+xml', '<svg'])
      const png = await reader.links.qr(id, { format: 'png', size: 400, level: 'H' })
      expect([png.type, (await png.bytes())[0]]).toEqual(['image/png', 0x89])
    })

    test('L24.20 create, fill, read, archive and delete bundles', async () => {
      const { id: linkId } = await ann.links.create({ url: 'https://example.com/sdk/b', slug: 'sdk-bundled' })
      const bundle = await ann.bundles.create({ name: 'Spring', accent: 'green' })
      const { id } = bundle
      expect(await ann.bundles.update(id, { description: 'All of it' })).toMatchObject({
        ...bundle,
        description: 'All of it',
        updated_at: expect.any(Number),
      })
      expect(await ben.bundles.addLink(id, { link_id: linkId })).toEqual({ added: true })
      await visit('sdk-bundled')
      expect((await ben.bundles.listLinks(id)).items.map((link) => link.id)).toEqual([linkId])
      expect(await Array.fromAsync(ben.bundles.listAllLinks(id, { limit: 1 }))).toHaveLength(1)
      expect((await ben.links.listBundles(linkId)).map(({ name }) => name)).toEqual(['Spring'])
      expect(await reader.bundles.get(id, { range: '24h' })).toMatchObject({ link_count: 1, total_clicks: 1 })
      const stats = await reader.bundles.analytics(id)
      const ofLink = await reader.links.analytics(linkId)
      expect(Object.keys(stats)).toEqual(expect.arrayContaining(Object.keys(ofLink)))
      expect(stats).toMatchObject({
        bundle: { id },
        top_performer: { slug: 'sdk-bundled', pct_of_bundle: 100 },
        per_link: [{ link_id: linkId }],
      })
      const channels = await reader.bundles.breakdown(id, { dimension: 'channels' })
      expect(channels.items).toEqual([{ name: 'direct', count: 1 }])
      expect((await ann.bundles.archive(id)).archived_at).toBeNumber()
      expect((await ben.bundles.list()).items).toEqual([])
      expect((await ben.bundles.list({ archived: 'only' })).items.map((each) => each.id)).toEqual([id])
      expect((await ann.bundles.unarchive(id)).archived_at).toBeNull()
      expect(await Array.fromAsync(ben.bundles.listAll())).toHaveLength(1)
      expect(await ann.bundles.removeLink(id, linkId)).toEqual({ removed: true })
      expect(await ann.bundles.delete(id)).toEqual({ deleted: true })
    })

    test('L24.20 set, read, promote and delete the behaviour of a link', async () => {
      const { id } = await ann.links.create({ url: 'https://example.com/sdk/w', slug: 'sdk-behaviour' })
      const split = ['a', 'b'].map((name) => ({ url: `https://example.com/${name}`, weight: 1 }))
      const rules = [{ when: { country: ['SE'] }, to: 'https://example.com/se' }]
      const behaviour = await ann.links.setBehaviour(id, { rules, split, max_clicks: 1 })
      expect(behaviour).toEqual({ rules, split, max_clicks: 1, clicks_left: 1 })
      expect(await reader.links.getBehaviour(id)).toEqual(behaviour)
      const visitor = { country: 'SE', user_agent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0' }
      expect(await reader.links.explain(id, visitor)).toMatchObject({
        status: 302,
        location: 'https://example.com/se',
        variant: '1',
      })
      expect((await reader.slugs.explain('sdk-behaviour', { method: 'POST' })).status).toBe(303)
      expect(await failureOf(ben.links.setBehaviour(id, {}))).toMatchObject({ status: 403 })
      expect(await ann.links.promoteVariant(id, { variant: '0.2' })).toMatchObject({ rules })
      expect((await reader.links.get(id)).url).toBe('https://example.com/b')
      expect(await ann.links.deleteBehaviour(id)).toEqual({ deleted: true })
      expect(await reader.links.getBehaviour(id)).toEqual({})
    })

    test('domains are listed, read and get links, and only administrators change them', async () => {
      const all = await reader.domains.list()
      expect(all.map(({ is_default }) => is_default)).toEqual([true, false])
      // The default domain of the tests is an IP address.
      for (const each of all) expect(await reader.domains.get(each.host)).toEqual(each)
      const domain = all[1]
      const host = domain?.host ?? ''
      const link = await ann.domains.createLink(host, { url: 'https://example.com/sdk/domain' })
      expect(await reader.links.get(link.id)).toEqual(link)
      expect(await failureOf(ben.domains.set(host, { robots: 'allow' }))).toMatchObject({
        status: 403,
        code: 'not_admin',
      })
      expect(await reader.domains.get(host)).toEqual(domain as NonNullable<typeof domain>)
    })

    test('links and bundles get another owner', async () => {
      const { id } = await ann.links.create({ url: 'https://example.com/sdk/given' })
      const bundle = await ann.bundles.create({ name: 'Given' })
      const owner = 'ben@example.com'
      expect((await ann.links.transfer(id, { owner })).created_by).toBe(owner)
      expect((await ann.bundles.transfer(bundle.id, { owner })).created_by).toBe(owner)
      const unknown = { owner: 'unknown@example.com' }
      expect(await failureOf(ben.links.transfer(id, unknown))).toMatchObject({ code: 'owner_unknown' })
    })

    test('history is listed, and a link is restored', async () => {
      const { id } = await ann.links.create({ url: 'https://example.com/sdk/past', label: 'Past' })
      await ann.links.update(id, { label: 'Present' })
      const history = await reader.links.listHistory(id)
      expect(history.items.map(({ kind }) => kind)).toEqual(['link.updated', 'link.created'])
      expect([history.total, history.items[0]?.before]).toEqual([2, { label: 'Past' }])
      const [latest] = (await reader.changes.list({ limit: 1 })).items
      expect(latest).toEqual(history.items[0])
      expect((await ann.links.restore(id, { change_id: history.items[1]?.id ?? 0 })).label).toBe('Past')
      expect(await failureOf(ben.links.restore(id, { change_id: 1 }))).toMatchObject({
        code: 'not_owner_restore',
      })
    })

    test('events are followed from a number on', async () => {
      const { last_seq: after } = await reader.events.list()
      const { id } = await ann.links.create({ url: 'https://example.com/sdk/event' })
      const { events } = await reader.events.list({ after, types: 'link.created', wait: 10 })
      expect(events.map(({ type, data }) => [type, data.link_id])).toEqual([['link.created', id]])
      expect(await failureOf(reader.events.list({ after: 999_999_999 }))).toMatchObject({
        code: 'events_deleted',
      })
    })

    test('plans are made, applied, undone and discarded, and changes are undone', async () => {
      const { id } = await ann.links.create({ url: 'https://example.com/sdk/planned' })
      const ops = [{ operation: 'updateLink', params: { id }, body: { label: 'Planned' } }]
      const plan = await ann.plans.create({ title: 'Labels', ops })
      expect(plan).toMatchObject({ state: 'open', diff: [{ link_id: id, after: { label: 'Planned' } }] })
      expect(await reader.plans.get(plan.id)).toEqual(plan)
      expect((await ann.plans.apply(plan.id)).state).toBe('applied')
      expect((await ann.links.get(id)).label).toBe('Planned')
      expect(await ann.plans.undo(plan.id)).toMatchObject({ undone: 1, remaining: [] })
      const other = await ann.plans.create({ ops })
      expect((await ann.plans.discard(other.id)).state).toBe('discarded')
      const { items } = await reader.plans.list({ limit: 2 })
      expect(items.map(({ state }) => state)).toEqual(['discarded', 'undone'])
      expect(await failureOf(ben.plans.get(plan.id))).toMatchObject({ code: 'plan_not_found' })
      expect(await ann.changes.undo({ since: 253_402_300_000 })).toEqual({ undone: 0, remaining: [] })
    })

    test('webhooks are created, changed, tested, replayed and deleted', async () => {
      const { webhook, secret } = await ann.webhooks.create({ url: 'http://receiver.invalid/' })
      const { id } = webhook
      expect(secret).toMatch(/^whsec_/)
      expect(await reader.webhooks.get(id)).toEqual(webhook)
      expect((await reader.webhooks.list()).map((each) => each.id)).toEqual([id])
      expect((await ann.webhooks.update(id, { types: ['link.created'] })).types).toEqual(['link.created'])
      expect((await ann.webhooks.rotateSecret(id)).secret).not.toBe(secret)
      const outcome = await ann.webhooks.test(id)
      expect(outcome).toMatchObject({ delivered: false, type: 'webhook.test' })
      expect(await reader.webhooks.listDeliveries(id)).toEqual([outcome])
      expect(await reader.webhooks.delivery(id, outcome.id)).toMatchObject({ id: outcome.id })
      expect(await ann.webhooks.resendDelivery(id, outcome.id)).toMatchObject({
        delivered: false,
        type: 'webhook.test',
      })
      expect((await ann.webhooks.replay(id, { from: 1 })).position).toBe(0)
      expect(await failureOf(ben.webhooks.delete(id))).toMatchObject({ code: 'webhook_not_found' })
      expect(await ann.webhooks.delete(id)).toEqual({ ok: true })
    })

    test('a refused call throws the error of the server, and changes nothing', async () => {
      const link = await ann.links.create({ url: 'https://example.com/sdk/mine' })
      const error = await failureOf(ben.links.update(link.id, { label: 'Mine now' }))
      expect(error).toBeInstanceOf(LinksApiError)
      expect(error).toMatchObject({
        status: 403,
        code: 'not_owner_update',
        message: 'Only the link owner can update this link',
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      })
      expect(await ann.links.get(link.id)).toEqual(link)
      expect(await failureOf(reader.links.create({ url: 'https://example.com/' }))).toMatchObject({
        status: 403,
        message: 'Forbidden',
      })
      const stranger = new LinksClient({ baseUrl: service.url, apiKey: 'sk_wrong' })
      expect(await failureOf(stranger.links.list())).toMatchObject({ status: 401, code: 'unauthorized' })
    })

    test('have the same OpenAPI document', async () => {
      const document = await (await fetch(`${service.url}/_/api/openapi.json`)).text()
      expect(new Bun.CryptoHasher('sha256').update(document).digest('hex')).toBe(DOCUMENT_SHA256)
      expect((JSON.parse(document) as { info: { version: string } }).info.version).toBe(API_VERSION)
    })

    test('have covered every operation', () => {
      expect(operationsNotCalled(service.called)).toEqual([])
    })
  })
})
