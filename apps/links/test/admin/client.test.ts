import { afterAll, beforeAll, expect, test } from 'bun:test'
import { onSqlite } from '@latchkey/database/testing'
import { operations } from '../../src/web/build.ts'
import { type Input, type OperationId, request } from '../../src/web/call.ts'
import { sharedTestLinks } from '../testing.ts'

const one = { params: { id: 1 } }
const onSlug = { params: { id: 1, slug: 'first' } }
const bySlug = { params: { slug: 'first' } }

/** Input for every operation that the pages can call, in an order in which all of them succeed. */
const inputs: { [Id in OperationId]: Input<Id> } = {
  createLink: { body: { url: 'https://example.com/', label: 'One' } },
  createBundle: { body: { name: 'One' } },
  createKey: { body: { title: 'One', scope: 'read' } },
  listLinks: { query: { search: 'One', page: 1, per_page: 25 } },
  countLinks: { query: { search: 'One', status: 'active' } },
  updateLinks: { body: { ids: [1], set: { disabled: false } } },
  createLinks: { body: { items: [{ url: 'https://example.com/many' }] } },
  checkSlug: { query: { slug: 'one' } },
  listLegacyPaths: { query: { limit: 5 } },
  getLink: { ...one, query: { range: '7d' } },
  updateLink: { ...one, body: { label: null } },
  disableLink: one,
  enableLink: one,
  restoreLink: { ...one, body: { change_id: 1 } },
  addSlug: { ...one, body: { slug: 'first' } },
  addSlugToLink: { body: { link_id: 1, slug: 'second' } },
  getLinkBySlug: bySlug,
  explainSlug: { ...bySlug, query: { language: 'sv', query: 'a=1' } },
  disableSlug: onSlug,
  enableSlug: onSlug,
  disableSlugBySlug: bySlug,
  enableSlugBySlug: bySlug,
  setPrimarySlug: onSlug,
  setPrimarySlugBySlug: bySlug,
  choosePrimarySlug: { ...one, body: { slug: 'first' } },
  listBundles: { query: { archived: 'all' } },
  getBundle: one,
  updateBundle: { ...one, body: { accent: 'blue' } },
  archiveBundle: one,
  unarchiveBundle: one,
  transferBundle: { ...one, body: { owner: 'admin@localhost' } },
  transferLink: { ...one, body: { owner: 'admin@localhost' } },
  listLinkHistory: { ...one, query: { limit: 2 } },
  listChanges: { query: { via: 'app' } },
  undoChanges: { body: { since: 9e9 } },
  createPlan: {
    body: { ops: [{ operation: 'updateLink', params: { id: 1 }, body: { label: 'Planned' } }] },
  },
  listPolicies: {},
  getPolicy: { params: { assistant: 'key:1' } },
  setPolicy: { params: { assistant: 'key:1' }, body: { writes: 'plan' } },
  listPlans: { query: { state: 'open' } },
  getPlan: one,
  applyPlan: one,
  undoPlan: one,
  discardPlan: { params: { id: 2 } },
  addLinkToBundle: { ...one, body: { link_id: 1 } },
  listBundleLinks: one,
  listBundlesForLink: one,
  getLinkAnalytics: { ...one, query: { tz: 'Europe/Stockholm' } },
  getLinkTimeline: one,
  getLinkBreakdown: { ...one, query: { dimension: 'countries', offset: 0, limit: 5 } },
  getBundleAnalytics: one,
  getBundleBreakdown: { ...one, query: { dimension: 'os' } },
  getBehaviour: one,
  explainLink: { ...one, query: { at: 1_800_000_000, country: 'SE', method: 'HEAD' } },
  setBehaviour: {
    ...one,
    body: {
      split: [
        { url: 'https://example.com/a', weight: 1 },
        { url: 'https://example.com/b', weight: 1 },
      ],
    },
  },
  promoteVariant: { ...one, body: { variant: '0.1' } },
  deleteBehaviour: one,
  getLinkQr: { ...one, query: { format: 'png', size: 300 } },
  getConfig: {},
  getDashboard: { query: { range: '24h' } },
  getAnalytics: { query: { link: [1, 2], country: ['SE', ''], compare: 'previous' } },
  getAnalyticsBreakdown: { query: { dimension: 'country', bundle: [1] } },
  exportAnalyticsBreakdown: { query: { dimension: 'country', search: 'se' } },
  exportAnalyticsClicks: { query: { link: [1] } },
  listDomains: {},
  getDomain: { params: { host: 'localhost' } },
  setDomain: { params: { host: 'localhost' }, body: { robots: 'allow' } },
  createDomainLink: { params: { host: 'localhost' }, body: { url: 'https://example.com/on' } },
  createWebhook: { body: { url: 'https://receiver.example/hook', types: ['link.created'] } },
  listWebhooks: {},
  getWebhook: one,
  updateWebhook: { ...one, body: { disabled: true } },
  rotateWebhookSecret: one,
  testWebhook: one,
  listWebhookDeliveries: one,
  getWebhookDelivery: { params: { id: 1, deliveryId: 1 } },
  resendWebhookDelivery: { params: { id: 1, deliveryId: 1 } },
  replayWebhook: { ...one, body: { from: 1 } },
  deleteWebhook: one,
  listKeys: {},
  getSettings: {},
  getDefaults: {},
  setDefaults: { body: { domain: null, bundle: 1, expires_in: 86_400, forward_query: 'utm' } },
  listUtmTemplates: {},
  createUtmTemplate: { body: { name: 'Mail', source: 'newsletter', medium: 'email' } },
  updateUtmTemplate: { ...one, body: { name: 'Mail', source: 'mail', shared: true } },
  deleteUtmTemplate: one,
  updateSettings: { body: { theme: 'dark' } },
  saveQrPreset: { body: { name: 'One', style: { size: 300, margin: 4, shape: 'round' } } },
  listQrPresets: {},
  deleteQrPreset: one,
  followChanges: {},
  listRecentClicks: {},
  listFavicons: { query: { hosts: 'example.com' } },
  shareLink: one,
  getLinkShare: one,
  unshareLink: one,
  shareBundle: one,
  getBundleShare: one,
  unshareBundle: one,
  importLinks: { query: { format: 'ndjson', dry_run: true } },
  inspectImport: {},
  exportLinks: { query: { format: 'csv' } },
  removeLinkFromBundle: { params: { id: 1, linkId: 1 } },
  removeSlugBySlug: { params: { slug: 'second' } },
  removeSlug: onSlug,
  deleteBundle: one,
  deleteLink: one,
  revokeKey: one,
}

const ownFetch = globalThis.fetch

onSqlite((newUrl) => {
  const links = sharedTestLinks(newUrl)
  beforeAll(() => {
    // The build writes this into the pages, and a browser resolves an address without a host like
    // this.
    Object.assign(globalThis, {
      OPERATIONS: operations,
      fetch: (path: string, init: RequestInit) => links.fetch(path, init),
    })
  })
  afterAll(() => {
    globalThis.fetch = ownFetch
  })

  test('L24.21: every operation that the pages can call exists and accepts the input of its type', async () => {
    expect(Object.keys(inputs).toSorted()).toEqual(Object.keys(operations).toSorted())
    for (const [id, input] of Object.entries(inputs)) {
      if (id === 'discardPlan') await request('createPlan', inputs.createPlan)
      const options =
        id === 'importLinks' || id === 'inspectImport'
          ? { upload: new Blob(['{"url":"https://example.com/"}\n']) }
          : {}
      // Rejects unless the answer is a success.
      const response = await request(id as OperationId, input, options)
      // The harness reads every answer to its end before it returns it, and events never end.
      void response.body?.cancel()
    }
  })

  test('a refusal reaches the page with its status and the message of the server', async () => {
    const refused = await request('createLink', { body: { url: 'javascript:alert(1)' } }).catch(
      (error: unknown) => error,
    )
    expect(refused).toMatchObject({ status: 400, message: 'url must use http or https' })
    const missing = await request('getLink', { params: { id: 999 } }).catch((error: unknown) => error)
    expect(missing).toMatchObject({ status: 404, message: 'Link not found' })
  })
})
