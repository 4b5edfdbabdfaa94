import { type Database, inList, lockKey } from '@latchkey/database/database'
import { type Kysely, type Transaction, sql } from 'kysely'
import type { Tables } from '../db/tables.ts'
import { failure } from '../api/failures.ts'
import type { ChangeSource } from '../changes/source.ts'
import { OPEN_PLANS } from './schema.ts'
import { stateOf } from './store.ts'

type Source = Pick<ChangeSource, 'identity' | 'assistant' | 'now'>

interface UnappliedPlan {
  id: number
  assistant: string | null
  state: 'open' | 'applied' | 'discarded' | 'undone'
  expires_at: number
  bytes: number
}

interface Room {
  plans: number
  bytes: number
}

/** Throws if the open plans of the person or of the program leave no room for one more. */
export async function requireRoom(db: Kysely<Tables>, source: Source): Promise<void> {
  fitPlan(await readUnapplied(db, source), source, 0)
}

/**
 * Locks the plans of the person that are not applied, and makes room for one more of this size: the oldest
 * ones that can no longer be applied are deleted. Throws if the open ones leave no room.
 */
export async function makeRoom(
  tx: Transaction<Tables>,
  { dialect }: Pick<Database<Tables>, 'dialect'>,
  source: Source,
  bytes: number,
): Promise<void> {
  const lock = Bun.hash.xxHash64(`plans ${source.identity}`)
  await lockKey(dialect, tx, Number(BigInt.asUintN(53, lock)))
  const excess = fitPlan(await readUnapplied(tx, source), source, bytes)
  if (excess.length > 0)
    await tx
      .deleteFrom('plan')
      .where(inList(dialect, 'id', excess))
      .execute()
}

/** Returns the ids of the plans that have to go. */
function fitPlan(plans: readonly UnappliedPlan[], source: Source, bytes: number): number[] {
  const isOpen = (plan: UnappliedPlan) => stateOf(plan, source.now) === 'open'
  const open = plans.filter(isOpen)
  const ofProgram = open.filter(({ assistant }) => assistant === source.assistant?.id)
  const { ofPerson, ofProgram: limit } = OPEN_PLANS
  const left = remainingOf(open, ofPerson, bytes)
  if (isNegative(left) || (source.assistant && isNegative(remainingOf(ofProgram, limit, bytes))))
    throw failure('too_many_plans')
  const ended = plans.filter((plan) => !isOpen(plan)).toReversed()
  const firstTooMany = ended.findIndex((_, at) => isNegative(remainingOf(ended.slice(0, at + 1), left, 0, 0)))
  return firstTooMany < 0 ? [] : ended.slice(firstTooMany).map(({ id }) => id)
}

/** The room that is left beside these plans and a new one. */
function remainingOf(plans: readonly UnappliedPlan[], room: Room, bytes: number, added = 1): Room {
  return {
    plans: room.plans - plans.length - added,
    bytes: plans.reduce((left, plan) => left - plan.bytes, room.bytes - bytes),
  }
}

function isNegative({ plans, bytes }: Room): boolean {
  return plans < 0 || bytes < 0
}

/** The oldest first. No document is read for its length. */
function readUnapplied(db: Kysely<Tables>, { identity }: Source): Promise<UnappliedPlan[]> {
  return db
    .selectFrom('plan')
    .select(['id', 'assistant', 'state', 'expires_at'])
    .select(
      sql<number>`octet_length(ops) + octet_length(diff) + octet_length(versions) + octet_length(warnings)`.as(
        'bytes',
      ),
    )
    .where('identity', '=', identity)
    .where('state', 'in', ['open', 'discarded'])
    .orderBy('id')
    .execute()
}
