import { getTimeZone } from '@latchkey/web/formats'
import { queries, useRead } from '@latchkey/web/queries'
import { useState } from 'react'
import type { ExplorerDimension } from '../../analytics/explorer/dimensions.ts'
import { type Input, embedded } from '../call.ts'
import type { Resource } from '../queries.ts'
import { type Progress, readAnalytics } from './read.ts'
import { type AnalyticsView, type Filter, isId } from './view.ts'

/** The link or bundle of a page. Undefined on the dashboard. */
export type Subject = Filter & { dimension: 'link' | 'bundle' }

/** Statistics that a user waits for longer than this, in milliseconds, show their progress. */
const SILENT_MS = 500

/** Parameters of the API for a view, with the subject of the page among its filters. */
export function queryOf(
  view: AnalyticsView,
  subject: Subject | undefined,
): NonNullable<Input<'getAnalytics'>['query']> {
  const all = subject
    ? [subject, ...view.filters.filter(({ dimension }) => dimension !== subject.dimension)]
    : view.filters
  const values: Partial<Record<ExplorerDimension, string[]>> = {}
  for (const { dimension, value } of all) (values[dimension] ??= []).push(value)
  const { link, bundle, ...others } = values
  return {
    tz: getTimeZone(),
    ...(view.window ?? (view.range && { range: view.range })),
    ...(view.compare !== 'none' && { compare: view.compare }),
    ...others,
    ...(link && { link: link.map(Number) }),
    ...(bundle && { bundle: bundle.map(Number) }),
  }
}

/** True if the server has to read raw clicks: for filters other than links and bundles. */
export const isFiltered = ({ filters }: AnalyticsView) => filters.some(({ dimension }) => !isId(dimension))

function readOf(view: AnalyticsView, subject: Subject | undefined) {
  const filtered = isFiltered(view)
  const resource: Resource | 'filtered' = filtered ? 'filtered' : subject ? `${subject.dimension}s` : 'totals'
  // Events name links by their ids (`refresh` of queries.ts).
  const params = subject?.dimension === 'link' ? { params: { id: Number(subject.value) } } : {}
  const query = queryOf(view, subject)
  return { filtered, query, key: [resource, 'getAnalytics', { ...params, query }] as const }
}

/** The statistics that the explorer of the same page reads. */
export function useShownStats(view: AnalyticsView, subject: Subject) {
  const { key, query } = readOf(view, subject)
  const read = (signal: AbortSignal) => readAnalytics({ query }, { signal })
  return useRead(key, read, { enabled: false }).data
}

/**
 * Statistics of a view. Changes refresh them, except with filters: the server would read the raw
 * clicks again for every click.
 */
export function useAnalytics(view: AnalyticsView, subject: Subject | undefined) {
  const [progress, setProgress] = useState<Progress>()
  const { filtered, query, key } = readOf(view, subject)
  const read = async (signal: AbortSignal) => {
    const startedMs = performance.now()
    const onProgress = (next: Progress) => {
      if (performance.now() - startedMs > SILENT_MS) setProgress(next)
    }
    try {
      return await readAnalytics({ query }, { signal, onProgress: filtered ? onProgress : undefined })
    } finally {
      setProgress(undefined)
    }
  }
  const result = useRead(key, read, { embedded: () => embedded('getAnalytics', { query })?.body })
  const isStale = result.isPlaceholderData
  const isCancelled = result.fetchStatus === 'idle' && (result.isPending || isStale) && !result.error
  const isMissing = isCancelled || (result.error !== null && (!result.data || isStale))
  return {
    stats: result.data,
    error: result.error,
    /** The user ended the read, and there is no result. */
    isCancelled,
    /** There are no statistics of this view, and none are being read. */
    isMissing,
    /** The statistics belong to the previous view. */
    isStale: isStale && !isMissing,
    progress: result.isFetching ? progress : undefined,
    cancel: () => void queries.cancelQueries({ queryKey: key, exact: true }),
    refetch: () => void result.refetch(),
  }
}
