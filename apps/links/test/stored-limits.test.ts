import { expect, test } from 'bun:test'
import { adminOperations, apiOperations } from '../src/http/operations.ts'

/** The failure by which an operation keeps to the number of what it stores (L28.1). */
const LIMITS: Readonly<Record<string, string>> = {
  addSlug: 'too_many_slugs',
  addSlugToLink: 'too_many_slugs',
  createKey: 'too_many_keys',
  createPlan: 'too_many_plans',
  createUtmTemplate: 'too_many_utm_templates',
  createWebhook: 'too_many_webhooks',
  saveQrPreset: 'too_many_qr_presets',
  restoreLink: 'too_many_slugs',
  setPolicy: 'too_many_policies',
  updateLink: 'too_many_slugs',
}

/** Why the number of what the other operations store needs no limit. */
const REASONS: Readonly<Record<string, readonly string[]>> = {
  'the rate limit bounds links, bundles and their history': [
    'createLink',
    'createLinks',
    'createDomainLink',
    'updateLinks',
    'createBundle',
    'addLinkToBundle',
    'applyPlan',
    'undoPlan',
    'undoChanges',
    'importLinks',
  ],
  'one for each link, bundle, person or domain': [
    'setBehaviour',
    'shareLink',
    'shareBundle',
    'updateSettings',
    'setDomain',
    'setDefaults',
  ],
  'changes what is stored already': [
    'disableLink',
    'enableLink',
    'promoteVariant',
    'transferLink',
    'updateBundle',
    'archiveBundle',
    'unarchiveBundle',
    'transferBundle',
    'discardPlan',
    'updateWebhook',
    'updateUtmTemplate',
    'rotateWebhookSecret',
    'replayWebhook',
    'disableSlug',
    'enableSlug',
    'setPrimarySlug',
    'disableSlugBySlug',
    'enableSlugBySlug',
    'setPrimarySlugBySlug',
    'choosePrimarySlug',
  ],
  'the latest hundred answers of each webhook stay': ['testWebhook', 'resendWebhookDelivery'],
  'stores nothing': ['inspectImport'],
}

test('L28.1k: each operation that stores something has a limit of its number, or needs none', () => {
  const writes = new Map(
    [...apiOperations, ...adminOperations]
      .filter(({ methods }) => !methods.includes('GET') && !methods.includes('DELETE'))
      .map((operation) => [operation.id, operation]),
  )
  const named = [...Object.keys(LIMITS), ...Object.values(REASONS).flat()]
  expect(named.toSorted()).toEqual([...writes.keys()].toSorted())
  for (const [id, code] of Object.entries(LIMITS))
    expect([id, writes.get(id)?.failures]).toEqual([id, expect.arrayContaining([code])])
})
