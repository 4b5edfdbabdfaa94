import type { AnyOperation } from '@latchkey/http/operation'
import { z } from 'zod'
import { type Context, operation } from '../api/context.ts'
import { TICKET_SECONDS, insertTicket } from './ticket-store.ts'

const createWsTicket = operation({
  id: 'createWsTicket',
  methods: ['POST'],
  path: '/ws-ticket',
  scope: 'session',
  tag: 'Sessions',
  summary: 'Create a ticket with which a client other than a browser opens one socket',
  result: z
    .object({
      ticket: z
        .string()
        .meta({ description: 'Sent as the subprotocol `latchkey.ticket.<ticket>`; works once.' }),
      expiresIn: z.literal(TICKET_SECONDS).meta({ description: 'Seconds.' }),
    })
    .meta({ id: 'WsTicket' }),
  status: 201,
  async handler(context) {
    const { session } = context.actor
    const ticket = await context.database.write((tx) => insertTicket(tx, session.id, context.now))
    return { ticket, expiresIn: TICKET_SECONDS } as const
  },
})

export const ticketOperations: readonly AnyOperation<Context>[] = [createWsTicket]
