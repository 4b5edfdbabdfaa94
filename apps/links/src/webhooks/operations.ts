import { sql } from 'kysely'
import { z } from 'zod'
import { type Context, operation } from '../api/context.ts'
import { failure } from '../api/failures.ts'
import { findEventRange } from '../events/store.ts'
import { IdParams } from '../api/fields.ts'
import { deliveryOperations, required, toDelivery } from './delivery-operations.ts'
import { NewWebhook, Replay, Webhook, WebhookChanges, WebhookWithSecret } from './schema.ts'
import { createSecret } from './secret.ts'
import {
  UNTRIED,
  type WebhookRow,
  countWebhooks,
  deleteWebhookRow,
  findLastFailures,
  findWebhook,
  insertWebhook,
  selectWebhooks,
  updateWebhookRow,
} from './store.ts'
import { DAY } from '../time/window.ts'

const MAX_WEBHOOKS = 20
/** How long the secret before a rotation signs as well. */
const OVERLAP_SECONDS = DAY

const tag = 'Webhooks'
/** A webhook returns what a key may read. */
const scope = 'create,read'

/** Webhooks as their readers see them; a failing one with its latest failure. */
async function toWebhooks({ database, now }: Context, rows: readonly WebhookRow[]): Promise<Webhook[]> {
  const failing = rows.filter(({ failing_since }) => failing_since !== null)
  const failures =
    failing.length === 0
      ? undefined
      : await findLastFailures(
          database,
          failing.map(({ id }) => id),
        )
  return rows.map((row) => {
    const last = failures?.get(row.id)
    return { ...toWebhook(row, now), ...(last && { last_failure: toDelivery(last) }) }
  })
}

async function describeWebhook(context: Context, row: WebhookRow): Promise<Webhook> {
  const [webhook = toWebhook(row, context.now)] = await toWebhooks(context, [row])
  return webhook
}

/** A webhook that is not failing, or is tried again at once. */
function toWebhook(row: WebhookRow, now: number): Webhook {
  const { id, url, created_by, created_at, updated_at, position, disabled_at, failing_since } = row
  const until = row.previous_until
  const isTriedAgain = failing_since !== null && disabled_at === null
  return {
    id,
    url,
    types: JSON.parse(row.types) as Webhook['types'],
    bundle: row.bundle_id,
    created_by,
    created_at,
    updated_at,
    position,
    disabled_at,
    failing_since,
    next_attempt_at: isTriedAgain ? row.next_attempt_at : null,
    previous_secret_until: until !== null && until > now ? until : null,
  }
}

function requireReachable({ webhooks }: Context, url: string): void {
  if (!webhooks.sender.mayReach(new URL(url))) throw failure('url_private')
}

const listWebhooks = operation({
  id: 'listWebhooks',
  methods: ['GET'],
  path: '/webhooks',
  scope: 'read',
  tag,
  summary: 'List your webhooks; administrators those of everyone',
  result: z.array(Webhook),
  async handler(context) {
    return toWebhooks(context, await selectWebhooks(context.database.read, context))
  },
})

const createWebhook = operation({
  id: 'createWebhook',
  methods: ['POST'],
  path: '/webhooks',
  scope,
  tag,
  summary: 'Create a webhook, whose secret is shown only once',
  body: NewWebhook,
  result: WebhookWithSecret,
  status: 201,
  failures: ['too_many_webhooks', 'url_private'],
  async handler(context, { body: { url, types, bundle } }) {
    const { database, identity, now, webhooks } = context
    requireReachable(context, url)
    const secret = createSecret()
    const row = await database.write(async (tx) => {
      if ((await countWebhooks(tx, database.dialect, identity)) >= MAX_WEBHOOKS)
        throw failure('too_many_webhooks')
      return insertWebhook(tx, {
        url,
        types: JSON.stringify(types),
        bundle_id: bundle,
        created_by: identity,
        created_at: now,
        updated_at: now,
        secret: webhooks.sender.seal(secret),
        position: (await findEventRange(tx)).newest,
      })
    })
    return { webhook: toWebhook(row, now), secret }
  },
})

const getWebhook = operation({
  id: 'getWebhook',
  methods: ['GET'],
  path: '/webhooks/{id}',
  scope: 'read',
  tag,
  summary: 'Read a webhook',
  params: IdParams,
  result: Webhook,
  failures: ['webhook_not_found'],
  async handler(context, { params: { id } }) {
    return describeWebhook(context, required(await findWebhook(context.database.read, id, context)))
  },
})

const updateWebhook = operation({
  id: 'updateWebhook',
  methods: ['PUT', 'PATCH'],
  path: '/webhooks/{id}',
  scope,
  tag,
  summary: 'Update the given fields of a webhook; events are tried again at once',
  params: IdParams,
  body: WebhookChanges,
  result: Webhook,
  failures: ['webhook_not_found', 'url_private'],
  async handler(context, { params: { id }, body: { url, types, bundle, disabled } }) {
    const { database, now } = context
    if (url !== undefined) requireReachable(context, url)
    const row = await database.write((tx) =>
      updateWebhookRow(tx, id, context, {
        ...UNTRIED,
        updated_at: now,
        ...(url !== undefined && { url }),
        ...(types !== undefined && { types: JSON.stringify(types) }),
        ...(bundle !== undefined && { bundle_id: bundle }),
        ...(disabled !== undefined && { disabled_at: disabled ? now : null }),
      }),
    )
    return toWebhook(required(row), now)
  },
})

const deleteWebhook = operation({
  id: 'deleteWebhook',
  methods: ['DELETE'],
  path: '/webhooks/{id}',
  scope,
  tag,
  summary: 'Delete a webhook with its deliveries',
  params: IdParams,
  result: z.object({ ok: z.literal(true) }),
  failures: ['webhook_not_found'],
  async handler(context, { params: { id } }) {
    if (!(await context.database.write((tx) => deleteWebhookRow(tx, id, context))))
      throw failure('webhook_not_found')
    return { ok: true as const }
  },
})

const rotateWebhookSecret = operation({
  id: 'rotateWebhookSecret',
  methods: ['POST'],
  path: '/webhooks/{id}/rotate',
  scope,
  tag,
  summary: 'Replace the secret of a webhook; for 24 hours the old one signs as well',
  params: IdParams,
  result: WebhookWithSecret,
  failures: ['webhook_not_found'],
  async handler(context, { params: { id } }) {
    const { database, now, webhooks } = context
    const secret = createSecret()
    const row = await database.write((tx) =>
      updateWebhookRow(tx, id, context, {
        secret: webhooks.sender.seal(secret),
        // Read by the update itself: a rotation at the same time may have replaced it.
        previous_secret: sql.ref('secret'),
        previous_until: now + OVERLAP_SECONDS,
        updated_at: now,
      }),
    )
    return { webhook: await describeWebhook(context, required(row)), secret }
  },
})

const replayWebhook = operation({
  id: 'replayWebhook',
  methods: ['POST'],
  path: '/webhooks/{id}/replay',
  scope,
  tag,
  summary: 'Deliver the events from this one on again, and enable the webhook',
  params: IdParams,
  body: Replay,
  result: Webhook,
  failures: ['webhook_not_found'],
  async handler(context, { params: { id }, body: { from } }) {
    const row = await context.database.write(async (tx) => {
      const { newest } = await findEventRange(tx)
      const position = Math.min(from - 1, newest)
      return updateWebhookRow(tx, id, context, {
        ...UNTRIED,
        position,
        disabled_at: null,
        updated_at: context.now,
      })
    })
    return toWebhook(required(row), context.now)
  },
})

/** Webhooks of the caller (L30). */
export const webhookOperations = [
  listWebhooks,
  createWebhook,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  replayWebhook,
  ...deliveryOperations,
]
