import { z } from 'zod'
import { type Context, operation } from '../../api/context.ts'
import type { Tx } from '../../db/tables.ts'
import { failure } from '../../api/failures.ts'
import { requireOwnedLink } from '../operations.ts'
import { IdParams } from '../../api/fields.ts'
import { type LinkRow, findEntityTag, updateLinkRow } from '../store.ts'
import { entityTagHeader } from '../../api/entity-tag.ts'
import { MAX_PROGRAM, compile } from './compile.ts'
import { hashPassword } from './password.ts'
import { promote } from './promote.ts'
import { requireFinalDestination } from './redirect-loops.ts'
import { Behaviour, type BehaviourDocument, NewBehaviour } from './schema.ts'
import { findBehaviour, saveBehaviour, toBehaviour } from './store.ts'

const tag = 'Behaviour'
const path = '/links/{id}/behaviour'

/** The answer of a write, read before it is committed. */
async function readChangedBehaviour(tx: Tx, context: Context, id: number): Promise<Behaviour> {
  context.headers['ETag'] = (await findEntityTag(tx, id)) ?? ''
  return toBehaviour(await findBehaviour(tx, id))
}

interface Replacement {
  document: BehaviourDocument
  /** A new hash, null for no password, undefined for the present one. */
  passwordHash: string | null | undefined
  now: number
}

/** Compiles and stores the behaviour of a locked link. Returns its program, null without one. */
export async function replaceBehaviour(
  tx: Tx,
  row: LinkRow,
  { document, passwordHash, now }: Replacement,
): Promise<string | null> {
  const present = await findBehaviour(tx, row.id)
  const hasPassword = passwordHash === undefined ? present.hasPassword : passwordHash !== null
  const program = compile(document, hasPassword)
  if (program === null && row.behaviour === null) return null
  if (program !== null && Buffer.byteLength(program) > MAX_PROGRAM) throw failure('behaviour_too_long')
  await saveBehaviour(tx, row, { document, program, passwordHash, now })
  return program
}

export const getBehaviour = operation({
  id: 'getBehaviour',
  methods: ['GET'],
  path,
  scope: 'read',
  tag,
  summary: 'Read where a link leads, for whom and when',
  params: IdParams,
  result: Behaviour,
  headers: entityTagHeader,
  failures: ['link_not_found'],
  async handler({ database, headers }, { params }) {
    // The tag is read before the behaviour, as for a link.
    const entityTag = await findEntityTag(database.read, params.id)
    if (entityTag === undefined) throw failure('link_not_found')
    headers['ETag'] = entityTag
    return toBehaviour(await findBehaviour(database.read, params.id))
  },
})

const failures = ['link_not_found', 'not_owner_update', 'link_changed'] as const

export const setBehaviour = operation({
  id: 'setBehaviour',
  methods: ['PUT'],
  path,
  scope: 'create',
  tag,
  summary: 'Replace where a link leads, for whom and when; an empty object removes it',
  params: IdParams,
  body: NewBehaviour,
  result: Behaviour,
  headers: entityTagHeader,
  failures: [...failures, 'behaviour_too_long', 'redirect_loop', 'too_many_hops', 'no_password'],
  async handler(context, { params, body }) {
    const { password, ...document } = body
    // Hashing takes a tenth of a second, during which no transaction should be open.
    const hash = typeof password === 'string' ? await hashPassword(password) : undefined
    return context.database.write(async (tx) => {
      const row = await requireOwnedLink(tx, context, params.id, 'not_owner_update')
      if (password === true && !(await findBehaviour(tx, row.id)).hasPassword) throw failure('no_password')
      const isEmpty = Object.keys(body).length === 0
      const passwordHash = isEmpty || password === null ? null : hash
      const behaviour = await replaceBehaviour(tx, row, { document, passwordHash, now: context.now })
      if (behaviour !== null) await requireFinalDestination(tx, context, { ...row, behaviour })
      return readChangedBehaviour(tx, context, row.id)
    })
  },
})

const deleteBehaviour = operation({
  id: 'deleteBehaviour',
  methods: ['DELETE'],
  path,
  scope: 'create',
  tag,
  summary: 'Remove the behaviour of a link, which then leads to its URL',
  params: IdParams,
  result: z.object({ deleted: z.literal(true) }),
  failures,
  handler: (context, { params }) =>
    context.database.write(async (tx) => {
      const row = await requireOwnedLink(tx, context, params.id, 'not_owner_update')
      await replaceBehaviour(tx, row, { document: {}, passwordHash: null, now: context.now })
      return { deleted: true as const }
    }),
})

const promoteVariant = operation({
  id: 'promoteVariant',
  methods: ['POST'],
  path: `${path}/promote`,
  scope: 'create',
  tag,
  summary: 'End a split: one of its parts becomes the URL of the link, or of the rule',
  params: IdParams,
  body: z.object({
    variant: z.string().max(10).meta({
      description: 'As in the breakdown by variant: `0.2` is the second part of the split without a rule.',
    }),
  }),
  result: Behaviour,
  headers: entityTagHeader,
  failures: [...failures, 'variant_not_found'],
  handler: (context, { params, body }) =>
    context.database.write(async (tx) => {
      const row = await requireOwnedLink(tx, context, params.id, 'not_owner_update')
      const { document } = await findBehaviour(tx, row.id)
      const promotion = promote(document, body.variant)
      if (!promotion) throw failure('variant_not_found')
      if (promotion.url !== undefined) await updateLinkRow(tx, row, { url: promotion.url }, context.now)
      await replaceBehaviour(tx, row, {
        document: promotion.document,
        passwordHash: undefined,
        now: context.now,
      })
      return readChangedBehaviour(tx, context, row.id)
    }),
})

export const behaviourOperations = [getBehaviour, setBehaviour, deleteBehaviour, promoteVariant]
