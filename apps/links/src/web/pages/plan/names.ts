import type { LinkNames, SubjectNames } from '../../parts/history/subject-names.tsx'
import type { Plan, PlanChange } from './plan.ts'

/**
 * The names of the links and bundles of a plan: as they are now, else as they were before it or are
 * created by it.
 */
export function namesOf({ diff, links, bundles }: Plan): SubjectNames {
  const deleted = diff.filter(({ after }) => after === null)
  return {
    links: new Map([
      ...diff
        .filter(({ before }) => before === null)
        .flatMap(({ link_id, after }) => namedLink(link_id, after)),
      ...deleted.flatMap(({ link_id, before }) => namedLink(link_id, before)),
      ...links.map(({ id, ...link }) => [id, link] as const),
    ]),
    bundles: new Map([
      ...deleted.flatMap(deletedBundle),
      ...bundles.map(({ id, name }) => [id, name] as const),
    ]),
  }
}

/** A new link has no slug before the plan is applied, unless the plan chooses one. */
function namedLink(id: number | null, values: PlanChange['before']): [number, LinkNames][] {
  const { primary_slug: key, label = null } = (values ?? {}) as {
    primary_slug?: string
    label?: string | null
  }
  if (id === null || (key === undefined && label === null)) return []
  return [[id, { ...ownSlugOf(key ?? ''), label }]]
}

function ownSlugOf(key: string) {
  const slash = key.indexOf('/')
  return slash < 0 ? { slug: key } : { slug: key.slice(slash + 1), domain: key.slice(0, slash) }
}

function deletedBundle({ bundle_id: id, before }: PlanChange) {
  return id === null ? [] : [[id, String(before?.['name'])] as const]
}

/** The destination of the link of a change: as the plan leaves it, else as it was or is. */
export function urlOf(
  { links }: Plan,
  { link_id, bundle_id, before, after }: PlanChange,
): string | undefined {
  if (link_id === null || bundle_id !== null) return undefined
  const url = after?.['url'] ?? before?.['url'] ?? links.find(({ id }) => id === link_id)?.url
  return typeof url === 'string' && URL.canParse(url) ? url : undefined
}
