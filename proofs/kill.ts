import type { SharedDatabase } from '@latchkey/database/testing-nodes'
import { type KillOutcome, killUnderLoad } from '../apps/links/test/durability/kill.ts'
import { findLimitProblems, runLimit } from '../apps/links/test/durability/limit.ts'
import { findDisorder, killWhileDelivering } from '../apps/links/test/webhooks/kill.ts'
import { killRoomsUnderLoad } from '../apps/rooms/test/durability/kill.ts'
import { linksCounts, roomsCounts } from './counts.ts'
import { withRedis } from './own-redis.ts'
import type { Outcome, Proof, Run } from './proof.ts'
import { withPostgres } from './shared-database.ts'

async function killLinks({ random, isOver }: Run, database?: SharedDatabase): Promise<Outcome> {
  const outcome = await killUnderLoad({ random, isEnough: isOver, ...(database && { database }) })
  return { tried: countsOf(outcome), problems: outcome.ledger.problems }
}

function countsOf({ kills, killsAtStart, ledger, clicks, maybe }: KillOutcome): Record<string, number> {
  return {
    kills,
    'of these at a start': killsAtStart,
    ...linksCounts(ledger),
    'clicks counted': clicks,
    'of these without an answer': maybe,
  }
}

async function killRooms(
  { random, isOver }: Run,
  database?: SharedDatabase,
  busUrl?: string,
): Promise<Outcome> {
  const { kills, load } = await killRoomsUnderLoad({
    random,
    isEnough: isOver,
    ...(database && { database }),
    ...(busUrl !== undefined && { environmentOf: () => ({ ROOMS_BUS_URL: busUrl }) }),
  })
  return { tried: { kills, ...roomsCounts(load) }, problems: load.ledger.problems }
}

async function killDuringDeliveries({ random, isOver }: Run): Promise<Outcome> {
  const { kills, events, seqs, areAllSigned, code } = await killWhileDelivering({ random, isEnough: isOver })
  const missing = events - new Set(seqs).size
  const disorder = findDisorder(seqs)
  return {
    tried: { kills, events, deliveries: seqs.length },
    problems: [
      ...(missing > 0 ? [`${missing} events were not delivered`] : []),
      ...(disorder.length > 0 ? [`out of order: ${disorder.join()}`] : []),
      ...(areAllSigned ? [] : ['a delivery has a wrong signature']),
      ...(code === 0 ? [] : [`the last stop ended with ${code}`]),
    ],
  }
}

const KILLS_OF_LIMIT = 10

async function killDuringLimit({ isOver }: Run, databaseUrl?: string): Promise<Outcome> {
  let [kills, through, problems] = [0, 0, [] as string[]]
  do {
    const options = { kills: KILLS_OF_LIMIT, ...(databaseUrl !== undefined && { databaseUrl }) }
    const outcome = await runLimit(options)
    kills += outcome.kills
    through += outcome.through
    problems = [...problems, ...findLimitProblems(outcome)]
  } while (!isOver() && databaseUrl === undefined)
  return { tried: { kills, 'people who got through': through }, problems }
}

export const killProofs: readonly Proof[] = [
  { name: 'Links on SQLite', run: (run) => killLinks(run) },
  {
    name: 'two nodes of Links on PostgreSQL',
    run: (run) => withPostgres((shared) => killLinks(run, shared)),
  },
  { name: 'Links while it delivers webhooks', run: killDuringDeliveries },
  { name: 'Links with a limited link', run: (run) => killDuringLimit(run) },
  {
    name: 'two nodes of Links with a limited link',
    run: (run) => withPostgres(({ checkedUrl }) => killDuringLimit(run, checkedUrl)),
  },
  { name: 'Rooms on SQLite', run: (run) => killRooms(run) },
  {
    name: 'two nodes of Rooms on PostgreSQL',
    run: (run) => withPostgres((shared) => withRedis((redis) => killRooms(run, shared, redis.url))),
  },
]
