import { useDebouncedValue } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { ROOM } from '../addresses.ts'
import { usePages } from '../queries.ts'
import type { SearchStart } from './open-search.ts'

export const PERIODS = ['any', 'today', 'week', 'month', 'range'] as const
export type Period = (typeof PERIODS)[number]

export const CONTENTS = ['anything', 'file', 'link'] as const

/** What a search looks for, as the user has entered it. */
export interface SearchFields {
  q: string
  /** Id of a room, or empty for all. */
  room: string
  /** Id of a user, or empty for all. */
  from: string
  period: Period
  /** Days of a `range`, as a field for dates has them; empty for no limit. */
  firstDay: string
  lastDay: string
  has: (typeof CONTENTS)[number]
}

const EMPTY: SearchFields = {
  q: '',
  room: '',
  from: '',
  period: 'any',
  firstDay: '',
  lastDay: '',
  has: 'anything',
}

/** Searches have a rate limit (R22), so not every keystroke is one. */
const SEARCH_AFTER_MS = 300

/** Fields of the search, which stay until the page is reloaded. */
export function useSearchFields(start: SearchStart | null) {
  const [fields, setFields] = useState(EMPTY)
  const [path] = useLocation()
  const change = (changes: Partial<SearchFields>) => setFields((before) => ({ ...before, ...changes }))
  useEffect(() => {
    if (!start) return
    // A new search in a room is one of its messages. An earlier one goes on with its next result.
    const here = fields.q === '' && start.q === undefined ? (ROOM.exec(path)?.[1] ?? '') : undefined
    const { q, room = here } = start
    change({ ...(q !== undefined && { q }), ...(room !== undefined && { room, from: '' }) })
    // Only when the search is opened.
  }, [start])
  return { fields, change }
}

/** Results for the fields. `pages` stay until those for other fields arrive. */
export function useResults(fields: SearchFields) {
  const [debounced] = useDebouncedValue(fields, SEARCH_AFTER_MS)
  const [urged, setUrged] = useState<SearchFields>()
  const settled = urged === fields ? fields : debounced
  const query = queryOf(settled)
  const isBlank = query.q === '' && query.from === undefined && query.has === undefined
  const { pages, ...state } = usePages('search', 'searchMessages', { query }, !isBlank)
  const last = useRef(pages)
  if (pages || isBlank) last.current = pages
  const latest = last.current
  return {
    ...state,
    isBlank,
    /** Error of reading the first page. */
    failed: pages ? null : state.error,
    results: latest?.flatMap(({ results }) => results),
    /** The results are those for other fields. */
    isOld: latest !== pages,
    /** The results are those for the fields as they are. */
    isCurrent: settled === fields && pages !== undefined,
    /** Searches at once. */
    searchNow: () => setUrged(fields),
  }
}

function queryOf({ q, room, from, period, firstDay, lastDay, has }: SearchFields) {
  const { after, before } = timesOf({ period, firstDay, lastDay })
  return {
    q: q.trim(),
    ...(room !== '' && { room }),
    ...(from !== '' && { from }),
    ...(after && { after: after.toISOString() }),
    ...(before && { before: before.toISOString() }),
    ...(has !== 'anything' && { has }),
    limit: '20',
  }
}

const DAYS: Partial<Record<Period, number>> = { today: 0, week: 6, month: 29 }

/** Limits of the period, in the time zone of the browser. They change once a day. */
function timesOf({ period, firstDay, lastDay }: Pick<SearchFields, 'period' | 'firstDay' | 'lastDay'>) {
  if (period === 'range') return { after: startOfDay(firstDay, 0), before: startOfDay(lastDay, 1) }
  const days = DAYS[period]
  if (days === undefined) return {}
  const now = new Date()
  return { after: new Date(now.getFullYear(), now.getMonth(), now.getDate() - days) }
}

/** Start of the day, or of one so many days later. Undefined for an incomplete date. */
function startOfDay(date: string, daysLater: number): Date | undefined {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(date) ?? []
  if (day === undefined) return undefined
  return new Date(Number(year), Number(month) - 1, Number(day) + daysLater)
}
