import type { Input } from '../../call.ts'

/** The state of the list, in the address. */
export const DEFAULT_VIEW = {
  search: '',
  status: 'all',
  owner: '',
  sort: 'created',
  range: 'all',
  page: '1',
  per_page: '25',
}

export type View = typeof DEFAULT_VIEW
export type Change = (changes: Partial<View>, options?: { isTyping: boolean }) => void

/** Changes that clear the search and all filters. */
export const CLEARED = { search: '', status: 'all', owner: '' } as const satisfies Partial<View>

export const isFiltered = (view: View) =>
  (Object.keys(CLEARED) as (keyof typeof CLEARED)[]).some((name) => view[name] !== CLEARED[name])

/** The server validates values that a user typed into the address. */
export function queryOf({ page, per_page, range, owner, ...view }: View) {
  return {
    ...view,
    ...(range !== 'all' && { range }),
    ...(owner !== '' && { owner }),
    page: Number(page),
    per_page: Number(per_page),
  } as NonNullable<Input<'listLinks'>['query']>
}
