import { Failure, transportFailure } from '@latchkey/http/failure'
import { z } from 'zod'
import { type Context, operation } from '../../api/context.ts'
import { withSnapshot } from '../../db/snapshot.ts'
import type { Db } from '../../db/tables.ts'
import { failure } from '../../api/failures.ts'
import { streamText } from '../../api/stream.ts'
import type { Window } from '../../time/window.ts'
import { type FilteredRead, findFilter } from './filtered-read.ts'
import { exportClicks } from './click-export.ts'
import { breakdownCsv } from './export.ts'
import { AnalyticsBreakdownQuery, AnalyticsQuery, BreakdownExportQuery, isFiltered } from './query.ts'
import { readAnalytics, readBreakdown } from './read.ts'
import { Analytics, AnalyticsBreakdown } from './schema.ts'
import { type StatsSource, instanceSource, linkSource } from './source.ts'
import { findLinks } from './subjects.ts'
import { type TimeQuery, findWindows } from './windows.ts'

const tag = 'Analytics'

/** The time of a query. A custom window ends now at the latest. */
function timeOf(query: AnalyticsQuery, { now, defaultRange }: Context): TimeQuery {
  const { tz, compare } = query
  return { range: customWindow(query, now) ?? query.range ?? defaultRange, tz, compare }
}

function customWindow({ from, to = Infinity }: AnalyticsQuery, now: number): Window | undefined {
  if (from === undefined) {
    if (to === Infinity) return undefined
    throw transportFailure('invalid_request', { text: 'from: is required with to' })
  }
  if (from > to) throw transportFailure('invalid_request', { text: 'from: must not be after to' })
  if (from > now) throw transportFailure('invalid_request', { text: 'from: must not be in the future' })
  return { from, to: Math.min(to, now) }
}

/** The clicks of a query without filters but links and bundles. */
async function findSource(db: Db, query: AnalyticsQuery, { now, filters }: Context): Promise<StatsSource> {
  const linkIds = await findLinks(db, query)
  return linkIds ? linkSource(db, linkIds, now, filters) : instanceSource(db, now, filters)
}

export const getAnalytics = operation({
  id: 'getAnalytics',
  methods: ['GET'],
  path: '/analytics',
  scope: 'admin',
  tag,
  summary: 'Analytics of the clicks that pass a filter, in any window',
  query: AnalyticsQuery,
  lasting: true,
  result: Analytics,
  failures: ['analytics_busy', 'analytics_stopped'],
  async handler(context, { query }) {
    const time = timeOf(query, context)
    await context.flushClicks()
    if (isFiltered(query)) return readOrStream(context, { query, time })
    return withSnapshot(context.database.offThread, async (db) =>
      readAnalytics(db, await findSource(db, query, context), time, { now: context.now, filtered: false }),
    )
  },
  answer: (result) => ({ body: result, headers: result instanceof ReadableStream ? LINES : {} }),
})

const LINES = { 'Content-Type': 'application/x-ndjson', 'X-Accel-Buffering': 'no' }

export const getAnalyticsBreakdown = operation({
  id: 'getAnalyticsBreakdown',
  methods: ['GET'],
  path: '/analytics/breakdown',
  scope: 'admin',
  tag,
  summary: 'One breakdown of analytics in full, with pagination',
  query: AnalyticsBreakdownQuery,
  lasting: true,
  result: AnalyticsBreakdown,
  failures: ['analytics_busy', 'analytics_stopped'],
  async handler(context, { query }) {
    const time = timeOf(query, context)
    await context.flushClicks()
    if (isFiltered(query)) return readOrStream(context, { query, time, breakdown: query })
    return withSnapshot(context.database.offThread, async (db) =>
      readBreakdown(db, await findSource(db, query, context), { ...query, time, now: context.now }),
    )
  },
  answer: (result) => ({ body: result, headers: result instanceof ReadableStream ? LINES : {} }),
})

/** Values in a file, the most clicked first. */
const MAX_EXPORTED = 10_000

const exportAnalyticsBreakdown = operation({
  id: 'exportAnalyticsBreakdown',
  methods: ['GET'],
  path: '/analytics/breakdown/export',
  scope: 'admin',
  tag,
  summary: `One breakdown of analytics as CSV, at most its ${MAX_EXPORTED} most clicked values`,
  query: BreakdownExportQuery,
  lasting: true,
  result: z.unknown(),
  media: { 'text/csv': 'A value and its clicks in each record' },
  failures: ['analytics_busy', 'analytics_stopped'],
  async handler(context, { query }) {
    const time = timeOf(query, context)
    await context.flushClicks()
    const page = { ...query, offset: 0, limit: MAX_EXPORTED }
    const breakdown = isFiltered(query)
      ? await readLast(context, { query, time, breakdown: page })
      : await withSnapshot(context.database.offThread, async (db) =>
          readBreakdown(db, await findSource(db, query, context), { ...page, time, now: context.now }),
        )
    return breakdownCsv(breakdown as AnalyticsBreakdown, query.dimension)
  },
  answer: (body) => ({ body, headers: csvHeaders('breakdown') }),
})

const exportAnalyticsClicks = operation({
  id: 'exportAnalyticsClicks',
  methods: ['GET'],
  path: '/analytics/clicks/export',
  scope: 'admin',
  tag,
  summary: 'The raw clicks of analytics as CSV, oldest first',
  query: AnalyticsQuery,
  lasting: true,
  result: z.unknown(),
  media: { 'text/csv': 'A click in each record, without anything that identifies its visitor' },
  async handler(context, { query }) {
    const time = timeOf(query, context)
    await context.flushClicks()
    const { offThread } = context.database
    const { window } = await findWindows(time, context.now, async () => undefined)
    const chunks = exportClicks(offThread, await findFilter(offThread, query), { ...context, window })
    return streamText(chunks, { onError: (error) => context.reportError(error) })
  },
  answer: (body) => ({ body, headers: csvHeaders('clicks') }),
})

const csvHeaders = (name: string) => ({
  'Content-Type': 'text/csv; charset=utf-8',
  'Content-Disposition': `attachment; filename="latchkey-${name}.csv"`,
})

/**
 * Reads filtered statistics. If the caller accepts lines of JSON, streams the progress and then the
 * statistics.
 */
async function readOrStream(
  context: Context,
  read: Pick<FilteredRead, 'query' | 'time' | 'breakdown'>,
): Promise<unknown> {
  const { now, filters } = context
  const replies = context.readFiltered({ ...read, now, filters })
  // A refusal has its status: the first reply comes before the answer.
  let reply = await replies.next()
  if (context.acceptsNdjson)
    return streamText(streamLines(context, reply, replies), {
      onError: (error) => context.reportError(error),
      onCancel: async () => void (await replies.return(undefined)),
    })
  return lastOf(replies, reply)
}

/** Reads filtered statistics without their progress. */
async function readLast(
  context: Context,
  read: Pick<FilteredRead, 'query' | 'time' | 'breakdown'>,
): Promise<unknown> {
  const { now, filters } = context
  const replies = context.readFiltered({ ...read, now, filters })
  return lastOf(replies, await replies.next())
}

async function lastOf(replies: Replies, first: Awaited<ReturnType<Replies['next']>>): Promise<unknown> {
  let reply = first
  while (!reply.done && !('result' in reply.value)) reply = await replies.next()
  await replies.return(undefined)
  return reply.value?.result
}

type Replies = ReturnType<Context['readFiltered']>

/** One JSON object per line: `progress` at intervals, and `result` or `error` at the end. */
async function* streamLines(
  context: Context,
  first: Awaited<ReturnType<Replies['next']>>,
  replies: Replies,
): AsyncGenerator<string> {
  try {
    for (let reply = first; !reply.done; reply = await replies.next())
      yield `${JSON.stringify(reply.value)}\n`
  } catch (error) {
    if (!(error instanceof Failure)) context.reportError(error)
    const { code, message } = error instanceof Failure ? error : failure('internal')
    yield `${JSON.stringify({ error: message, code })}\n`
  }
}

/** Analytics of any clicks; admin side only (L17). */
export const explorerOperations = [
  getAnalytics,
  getAnalyticsBreakdown,
  exportAnalyticsBreakdown,
  exportAnalyticsClicks,
]
