import { lockKey } from '@latchkey/database/database'
import type { DialectName } from '@latchkey/database/url'
import { type Kysely, type Selectable, type Transaction, sql } from 'kysely'
import type { Tables } from '../db/tables.ts'
import { DEFAULT_POLICY, type Policy, type PolicyRules } from './schema.ts'

/** Without a policy, a program may do all that its person may. */
export const DEFAULT_RULES: PolicyRules = {
  writes: 'direct',
  confirm: 'never',
  writes_per_hour: null,
  hosts: null,
  bundles: null,
}

/** The beginning of the name of a program without an API key. */
const ONE_PROGRAM = 'client:'

export interface PolicySubject {
  /** The person for whom the program writes. */
  identity: string
  /** Id of an `Assistant`. */
  assistant: string
}

/** Returns the rules that bind the program, undefined if none do. */
export async function findRules(
  db: Kysely<Tables>,
  { identity, assistant }: PolicySubject,
): Promise<PolicyRules | undefined> {
  const rows = await db
    .selectFrom('policy')
    .selectAll()
    .where('identity', '=', identity)
    .where('assistant', 'in', [assistant, DEFAULT_POLICY])
    .execute()
  const row = rows.find((policy) => policy.assistant === assistant) ?? rows[0]
  return row && toRules(row)
}

function toRules(row: Selectable<Tables['policy']>): PolicyRules {
  const { writes, confirm, writes_per_hour } = row
  const hosts = row.hosts === null ? null : (JSON.parse(row.hosts) as string[])
  const bundles = row.bundles === null ? null : (JSON.parse(row.bundles) as number[])
  return { writes, confirm, writes_per_hour, hosts, bundles }
}

export async function saveRules(
  db: Kysely<Tables>,
  { identity, assistant }: PolicySubject,
  { hosts, bundles, ...rules }: PolicyRules,
): Promise<void> {
  const row = {
    ...rules,
    hosts: hosts && JSON.stringify(hosts),
    bundles: bundles && JSON.stringify(bundles),
  }
  await db
    .insertInto('policy')
    .values({ identity, assistant, ...row })
    .onConflict((conflict) => conflict.columns(['identity', 'assistant']).doUpdateSet(row))
    .execute()
}

/** Whether the name is that of one program without an API key. All other names are known beforehand. */
export function isOneProgram(assistant: string): boolean {
  return assistant.startsWith(ONE_PROGRAM)
}

export async function hasPolicy(db: Kysely<Tables>, subject: PolicySubject): Promise<boolean> {
  return isListed(db, 'policy', subject)
}

/** Whether the program has written something for the person. */
export async function hasWritten(db: Kysely<Tables>, subject: PolicySubject): Promise<boolean> {
  return isListed(db, 'history', subject)
}

async function isListed(
  db: Kysely<Tables>,
  table: 'policy' | 'history',
  { identity, assistant }: PolicySubject,
): Promise<boolean> {
  const row = await db
    .selectFrom(table)
    .select('identity')
    .where('assistant', '=', assistant)
    .where('identity', '=', identity)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * The programs without an API key for which the person has policies. Until the transaction ends,
 * concurrent counts wait.
 */
export async function countPrograms(
  tx: Transaction<Tables>,
  dialect: DialectName,
  identity: string,
): Promise<number> {
  await lockKey(dialect, tx, Number(BigInt.asUintN(53, Bun.hash.xxHash64(`policies ${identity}`))))
  const { programs } = await tx
    .selectFrom('policy')
    .select(({ fn }) => fn.countAll<number>().as('programs'))
    .where('identity', '=', identity)
    .where('assistant', 'like', `${ONE_PROGRAM}%`)
    .executeTakeFirstOrThrow()
  return programs
}

/** The title of an API key of the person. Undefined if there is none. */
export async function findKeyTitle(
  db: Kysely<Tables>,
  { identity, assistant }: PolicySubject,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('api_key')
    .select('title')
    .where('id', '=', Number(assistant.slice('key:'.length)))
    .where('identity', '=', identity)
    .executeTakeFirst()
  return row?.title
}

/**
 * API keys of the person that may write, and other programs that did, with the policies that bind
 * them; last the policy of all others.
 */
export async function listPolicies(db: Kysely<Tables>, identity: string): Promise<Policy[]> {
  const keys = await db
    .selectFrom('api_key')
    .select(['id', 'title'])
    .where('identity', '=', identity)
    .where('scope', '!=', 'read')
    .orderBy('id')
    .execute()
  const titles = new Map(keys.map(({ id, title }) => [`key:${id}`, title]))
  const stored = await db.selectFrom('policy').selectAll().where('identity', '=', identity).execute()
  const rulesOf = new Map(stored.map((row) => [row.assistant, toRules(row)]))
  const others = [...(await findWriters(db, identity)), ...rulesOf.keys()].filter(
    (id) => !id.startsWith('key:') && id !== DEFAULT_POLICY,
  )
  const defaultRules = rulesOf.get(DEFAULT_POLICY) ?? DEFAULT_RULES
  return [...new Set([...titles.keys(), ...others.toSorted(), DEFAULT_POLICY])].map((assistant) => ({
    identity,
    assistant,
    name: titles.get(assistant) ?? null,
    ...(rulesOf.get(assistant) ?? defaultRules),
  }))
}

/**
 * Programs without an API key that wrote for the person. Follows the index from one program to the
 * next: history may have millions of rows.
 */
async function findWriters(db: Kysely<Tables>, identity: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with recursive client (id) as (
      select min(assistant) from history where assistant >= 'client:' and assistant < 'client;'
      union all
      select (select min(assistant) from history where assistant > client.id and assistant < 'client;')
      from client where client.id is not null
    )
    select id from (select id from client union all select 'client'
          union all select 'access' union all select 'local') as program
    where id is not null
      and exists (select 1 from history where assistant = program.id and identity = ${identity})`.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * The changes that a program made for a person after this moment (Unix seconds). Until the
 * transaction ends, concurrent counts wait, so that no two of them miss each other's changes.
 */
export async function countWrites(
  tx: Transaction<Tables>,
  dialect: DialectName,
  { identity, assistant, after }: PolicySubject & { after: number },
): Promise<number> {
  await lockKey(dialect, tx, Number(BigInt.asUintN(53, Bun.hash.xxHash64(`writes ${identity} ${assistant}`))))
  const { writes } = await tx
    .selectFrom('history')
    .select(({ fn }) => fn.countAll<number>().as('writes'))
    .where('assistant', '=', assistant)
    .where('identity', '=', identity)
    .where('changed_at', '>', after)
    .executeTakeFirstOrThrow()
  return writes
}
