import { z } from 'zod'
import { type Context, operation } from '../../api/context.ts'
import { failure } from '../../api/failures.ts'
import { SUCCESS, Success } from '../../api/wire.ts'
import { PushSubscription, SubscriptionParams } from './schema.ts'
import { deleteSubscription, putSubscription } from './store.ts'

const tag = 'Notifications'

const subscribeToPush = operation({
  id: 'subscribeToPush',
  methods: ['POST'],
  path: '/push',
  // Guests choose their name only, and must not choose a host for this server to call.
  scope: 'member',
  tag,
  summary: 'Send notifications to this browser while no page is open',
  body: PushSubscription,
  result: z.object({ id: z.string() }),
  status: 201,
  async handler(context, { body: { endpoint, keys } }) {
    const { user, session } = context.actor
    context.rates.take('push_subscriptions_per_hour', user.id)
    await requirePublicEndpoint(context, endpoint)
    const id = crypto.randomUUID()
    const row = { id, session_id: session.id, endpoint, ...keys, created_at: context.now }
    await context.database.write((tx) => putSubscription(tx, row))
    return { id }
  },
})

async function requirePublicEndpoint({ pusher }: Context, endpoint: string): Promise<void> {
  if (await pusher.canReach(new URL(endpoint))) return
  throw failure('invalid_request', {
    text: 'endpoint: must be on a public host',
    fields: [{ path: 'endpoint', code: 'custom' }],
  })
}

const unsubscribeFromPush = operation({
  id: 'unsubscribeFromPush',
  methods: ['DELETE'],
  path: '/push/{id}',
  scope: 'session',
  tag,
  summary: 'Stop notifications of this browser',
  params: SubscriptionParams,
  result: Success,
  async handler(context, { params: { id } }) {
    const { session } = context.actor
    if (!(await context.database.write((tx) => deleteSubscription(tx, { id, sessionId: session.id }))))
      throw failure('not_found')
    return SUCCESS
  },
})

export const pushOperations = [subscribeToPush, unsubscribeFromPush]
