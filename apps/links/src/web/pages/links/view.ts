import type { Input } from '../../call.ts'

/** The state of the list, in the address. */
export const DEFAULT_VIEW = {
  search: '',
  status: 'all',
  owner: '',
  source: '',
  host: '',
  domain: '',
  bundle: '',
  no_bundle: '',
  has_behaviour: '',
  sort: 'created',
  order: '',
  range: 'all',
  page: '1',
  per_page: '25',
}

export type View = typeof DEFAULT_VIEW
export type Change = (changes: Partial<View>, options?: { isTyping: boolean }) => void

/** Changes that clear the search and all filters. */
export const CLEARED = {
  search: '',
  status: 'all',
  owner: '',
  source: '',
  host: '',
  domain: '',
  bundle: '',
  no_bundle: '',
  has_behaviour: '',
} as const satisfies Partial<View>

export const isFiltered = (view: View) =>
  (Object.keys(CLEARED) as (keyof typeof CLEARED)[]).some((name) => view[name] !== CLEARED[name])

type Query = NonNullable<Input<'listLinks'>['query']>

const withoutEmpty = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))

/** The search and the filters. The server validates values that a user typed into the address. */
export function filterOf({ search, status, owner, source, host, domain, bundle, ...view }: View) {
  const { no_bundle, has_behaviour } = view
  const filter = { search, status, owner, source, host, domain, bundle, no_bundle, has_behaviour }
  return withoutEmpty(filter) as NonNullable<Input<'countLinks'>['query']>
}

export function queryOf(view: View): Query {
  const { sort, order, page, per_page, range } = view
  return {
    ...filterOf(view),
    ...withoutEmpty({ sort, order, range: range === 'all' ? '' : range }),
    page: Number(page),
    per_page: Number(per_page),
  }
}
