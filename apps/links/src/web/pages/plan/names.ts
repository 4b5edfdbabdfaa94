import type { SubjectNames } from '../../parts/history/subject-names.tsx'
import type { Plan, PlanChange } from './plan.ts'

/** The names of the links and bundles of a plan: as they are now, else as they were before it. */
export function namesOf({ diff, links, bundles }: Plan): SubjectNames {
  const deleted = diff.filter(({ after }) => after === null)
  return {
    links: new Map([...deleted.flatMap(deletedLink), ...links.map(({ id, ...link }) => [id, link] as const)]),
    bundles: new Map([
      ...deleted.flatMap(deletedBundle),
      ...bundles.map(({ id, name }) => [id, name] as const),
    ]),
  }
}

function deletedLink({ link_id: id, before }: PlanChange) {
  if (id === null) return []
  const { primary_slug: key, label = null } = before as { primary_slug: string; label?: string }
  const slash = key.indexOf('/')
  const slug = slash < 0 ? { slug: key } : { slug: key.slice(slash + 1), domain: key.slice(0, slash) }
  return [[id, { ...slug, label }] as const]
}

function deletedBundle({ bundle_id: id, before }: PlanChange) {
  return id === null ? [] : [[id, String(before?.['name'])] as const]
}
