import { z } from 'zod'
import { type Context, operation } from '../api/context.ts'
import type { Transaction } from 'kysely'
import type { Tables } from '../db/tables.ts'
import { failure } from '../api/failures.ts'
import { hasCreated } from '../ownership/store.ts'
import { AssistantParams, NewPolicyQuery, Policy, PolicyQuery, PolicyRules } from './schema.ts'
import {
  DEFAULT_RULES,
  type PolicySubject,
  countPrograms,
  findKeyTitle,
  findRules,
  hasPolicy,
  hasWritten,
  isOneProgram,
  listPolicies,
  saveRules,
} from './store.ts'

const tag = 'Policies'

/** Programs without an API key for which a person has policies. */
const MAX_PROGRAMS = 200

/** The person whose policies are meant: the caller, or anyone for administrators. */
function identityOf(
  context: Context,
  { identity = context.identity }: { identity?: string | undefined },
): string {
  if (identity !== context.identity && !context.isAdmin) throw failure('not_admin_policy')
  return identity
}

async function readPolicy({ database: { read } }: Context, subject: PolicySubject): Promise<Policy> {
  const isKey = subject.assistant.startsWith('key:')
  const title = isKey ? await findKeyTitle(read, subject) : null
  if (title === undefined) throw failure('assistant_not_found')
  // Other programs need not have called yet.
  return { ...subject, name: title, ...((await findRules(read, subject)) ?? DEFAULT_RULES) }
}

/**
 * Throws for the first policy of a program that has written nothing, unless the caller confirms its name:
 * a misspelt one would bind nothing. Names of many programs need only a person who is known.
 */
async function requireKnownSubject(
  tx: Transaction<Tables>,
  context: Context,
  { confirm, ...subject }: PolicySubject & { confirm: boolean },
): Promise<void> {
  const { identity, assistant } = subject
  if (assistant.startsWith('key:') || (await hasPolicy(tx, subject))) return
  const isOne = isOneProgram(assistant)
  if (!confirm) {
    const isKnown = isOne
      ? await hasWritten(tx, subject)
      : identity === context.identity || (await hasCreated(tx, identity))
    if (!isKnown) throw failure('program_unknown')
  }
  if (isOne && (await countPrograms(tx, context.database.dialect, identity)) >= MAX_PROGRAMS)
    throw failure('too_many_policies')
}

/** What programs may write for a person; on the admin side only, where no program acts (L29.4). */
export const policyOperations = [
  operation({
    id: 'listPolicies',
    methods: ['GET'],
    path: '/policies',
    scope: 'admin',
    tag,
    summary: 'List the programs that may write for you, with their policies',
    query: PolicyQuery,
    result: z.array(Policy),
    failures: ['not_admin_policy'],
    handler: (context, { query }) => listPolicies(context.database.read, identityOf(context, query)),
  }),
  operation({
    id: 'getPolicy',
    methods: ['GET'],
    path: '/policies/{assistant}',
    scope: 'admin',
    tag,
    summary: 'What a program may write for you',
    params: AssistantParams,
    query: PolicyQuery,
    result: Policy,
    failures: ['not_admin_policy', 'assistant_not_found'],
    handler: (context, { params: { assistant }, query }) =>
      readPolicy(context, { identity: identityOf(context, query), assistant }),
  }),
  operation({
    id: 'setPolicy',
    methods: ['PUT'],
    path: '/policies/{assistant}',
    scope: 'admin',
    tag,
    summary: 'Set what a program may write for you; what is left out is allowed',
    params: AssistantParams,
    query: NewPolicyQuery,
    body: PolicyRules,
    result: Policy,
    failures: ['not_admin_policy', 'assistant_not_found', 'program_unknown', 'too_many_policies'],
    async handler(context, { params: { assistant }, query, body }) {
      const subject = { identity: identityOf(context, query), assistant }
      const policy = await readPolicy(context, subject)
      await context.database.write(async (tx) => {
        await requireKnownSubject(tx, context, { ...subject, confirm: query.confirm })
        await saveRules(tx, subject, body)
      })
      return { ...policy, ...body }
    },
  }),
]
