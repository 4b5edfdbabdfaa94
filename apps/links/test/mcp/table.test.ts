import { expect, test } from 'bun:test'
import { listTools } from '../../src/mcp/tools.ts'

/** The list of L19, by the changes that a call may make. */
const contract = {
  R: `health list_links get_link get_link_analytics get_link_timeline get_link_breakdown search_links
    list_links_by_owner get_link_qr get_trending_links get_dashboard_stats get_total_clicks get_clicks_by_country
    get_clicks_by_referrer get_clicks_by_device compare_links list_bundles get_bundle list_bundle_links
    list_bundles_for_link get_bundle_analytics explain_redirect get_link_behaviour get_plan
    list_changes list_events list_legacy_paths`,
  N: 'add_custom_slug create_bundle create_links plan_changes',
  I: `create_link update_link disable_link enable_link disable_slug enable_slug set_primary_slug update_bundle
    archive_bundle unarchive_bundle add_link_to_bundle remove_link_from_bundle set_link_behaviour
    discard_plan`,
  D: 'delete_link remove_slug delete_bundle apply_plan undo_plan',
}

const annotations = {
  R: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  N: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  I: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  D: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
}

test('L19.4g: the tools are the 50 of the contract, with its names and annotations', () => {
  const expected = Object.entries(contract).flatMap(([kind, names]) =>
    names.split(/\s+/).map((name) => [name, annotations[kind as keyof typeof annotations]] as const),
  )
  expect(expected).toHaveLength(50)
  const listed = listTools().map(({ name, annotations: { title: _, ...hints } = {} }) => [name, hints])
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(expected))
  expect(listed).toHaveLength(50)
})

test('every tool has a title, a description and a result schema, and refuses unknown arguments', () => {
  for (const tool of listTools()) {
    expect([tool.name, tool.title]).toEqual([tool.name, expect.stringMatching(/^[A-Z]/)])
    expect(tool.annotations?.title).toBe(tool.title ?? '')
    expect(tool.description).toMatch(/\.$/)
    expect(tool.outputSchema).toBeObject()
    expect(tool.inputSchema.additionalProperties).toBe(false)
  }
})

test('the result schema marks an object or a list, and older clients get an object unchanged', () => {
  const plain = ['list_bundle_links', 'list_bundles_for_link', 'list_legacy_paths']
  for (const { name, outputSchema } of listTools())
    if (plain.includes(name))
      expect([name, outputSchema]).toEqual([name, expect.objectContaining({ anyOf: expect.anything() })])
    else expect([name, outputSchema?.type]).toEqual([name, 'object'])
})

test('L30.2g, L19.4: the parameters are those of the contract', () => {
  const parameters = Object.fromEntries(
    listTools().map(({ name, inputSchema: { properties, required } }) => [
      name,
      Object.keys(properties ?? {})
        .map((one) => (required?.includes(one) ? one : `${one}?`))
        .toSorted()
        .join(' '),
    ]),
  )
  expect(parameters).toEqual({
    health: '',
    list_links: 'domain? range?',
    get_link: 'link_id range?',
    create_link: 'custom_slug? domain? expires_at? label? slug_length? url',
    create_links: 'links',
    update_link: 'expires_at? label? link_id url?',
    disable_link: 'link_id',
    enable_link: 'link_id',
    add_custom_slug: 'link_id slug',
    disable_slug: 'link_id slug',
    enable_slug: 'link_id slug',
    set_primary_slug: 'link_id slug',
    delete_link: 'link_id',
    remove_slug: 'link_id slug',
    delete_bundle: 'bundle_id',
    get_link_analytics: 'link_id range?',
    get_link_timeline: 'link_id range?',
    get_link_breakdown: 'dimension limit? link_id range?',
    search_links: 'domain? query range?',
    list_links_by_owner: 'owner range?',
    get_link_qr: 'base_url? link_id slug?',
    get_trending_links: 'limit? range?',
    get_dashboard_stats: 'range?',
    get_total_clicks: 'range?',
    get_clicks_by_country: 'limit? range?',
    get_clicks_by_referrer: 'limit? range?',
    get_clicks_by_device: 'dimension? limit? range?',
    compare_links: 'link_ids range?',
    list_bundles: 'filter? range?',
    list_events: 'after? limit? types?',
    list_legacy_paths: 'domain? path?',
    get_bundle: 'bundle_id range?',
    create_bundle: 'accent? description? icon? name',
    update_bundle: 'accent? bundle_id description? icon? name?',
    archive_bundle: 'bundle_id',
    unarchive_bundle: 'bundle_id',
    add_link_to_bundle: 'bundle_id link_id',
    remove_link_from_bundle: 'bundle_id link_id',
    list_bundle_links: 'bundle_id',
    list_bundles_for_link: 'link_id',
    get_bundle_analytics: 'bundle_id range?',
    explain_redirect: 'at? country? domain? language? method? path? query? referrer? slug user_agent?',
    get_link_behaviour: 'link_id',
    set_link_behaviour: 'behaviour link_id',
    plan_changes: 'ops title?',
    get_plan: 'plan_id',
    apply_plan: 'plan_id',
    discard_plan: 'plan_id',
    undo_plan: 'plan_id',
    list_changes: 'assistant? identity? limit? since? via?',
  })
})

/** Every string, number and list in the schema has a limit. */
function findUnlimited(schema: unknown, path = ''): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const own = schema as Record<string, unknown>
  const isOpen =
    (own['type'] === 'string' && !('maxLength' in own) && !('enum' in own)) ||
    (own['type'] === 'integer' && !('maximum' in own))
  return [
    ...(isOpen ? [path] : []),
    ...Object.entries(own).flatMap(([name, value]) => findUnlimited(value, `${path}/${name}`)),
  ]
}

test('no result is described as raw, because viewer filters apply', () => {
  expect(JSON.stringify(listTools())).not.toMatch(/raw clicks/i)
})

test('input schemas contain every limit', () => {
  expect(listTools().flatMap(({ name, inputSchema }) => findUnlimited(inputSchema, name))).toEqual([])
  const schemaOf = (name: string) => listTools().find((tool) => tool.name === name)?.inputSchema.properties
  expect(schemaOf('create_link')).toMatchObject({
    url: { maxLength: 2048 },
    slug_length: { minimum: 3, maximum: 128 },
  })
  expect(schemaOf('get_link_breakdown')).toMatchObject({
    limit: { minimum: 1, maximum: 100, default: 25 },
    dimension: {
      enum: ['country', 'referrer_host', 'device_type', 'os', 'browser', 'link_mode', 'channel'],
    },
  })
  expect(schemaOf('get_trending_links')).toMatchObject({ limit: { minimum: 1, maximum: 100, default: 10 } })
  expect(schemaOf('compare_links')).toMatchObject({ link_ids: { minItems: 2 } })
})
