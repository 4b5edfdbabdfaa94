import type { Tx } from '../../db/tables.ts'
import type { ChangeRow } from '../list.ts'
import { parseValues } from '../../changes/values.ts'

/** The latest changes of a link, of a bundle, or of a link in a bundle, the last one first. */
export interface Step {
  linkId: number | null
  bundleId: number | null
  rows: readonly ChangeRow[]
}

/**
 * Groups changes by their subjects, the latest first. Changes that were followed by others of the
 * same subject are `later`: undoing them would undo the others.
 */
export async function planSteps(
  tx: Tx,
  rows: readonly ChangeRow[],
): Promise<{ steps: Step[]; later: ChangeRow[] }> {
  const steps: Step[] = []
  const later: ChangeRow[] = []
  const groups = Map.groupBy(rows, ({ link_id, bundle_id }) => `${link_id} ${bundle_id}`)
  const chosen = new Set(rows.map(({ id }) => id))
  for (const group of groups.values()) {
    const since = await readSince(tx, group)
    const firstOther = since.findIndex((row) => !chosen.has(row.id) && !isOwnLabel(row))
    const reachable = since
      .slice(0, firstOther === -1 ? undefined : firstOther)
      .filter(({ id }) => group.some((row) => row.id === id))
    const [latest] = reachable
    if (latest) steps.push({ linkId: latest.link_id, bundleId: latest.bundle_id, rows: reachable })
    later.push(...group.filter((row) => !reachable.some(({ id }) => id === row.id)))
  }
  return { steps: steps.toSorted((a, b) => latestId(b) - latestId(a)), later }
}

function latestId({ rows }: Step): number {
  return rows[0]?.id ?? 0
}

/** All changes of the subject since the first of these, the latest first. */
async function readSince(tx: Tx, group: readonly ChangeRow[]): Promise<ChangeRow[]> {
  const oldest = group.reduce((first, row) => (row.id < first.id ? row : first))
  const { link_id: linkId, bundle_id: bundleId } = oldest
  return (
    tx
      .selectFrom('history')
      .selectAll()
      .where('id', '>=', oldest.id)
      .$if(linkId !== null, (query) => query.where('link_id', '=', linkId ?? 0))
      .$if(bundleId !== null, (query) => query.where('bundle_id', '=', bundleId ?? 0))
      // Deleting a link or a bundle would also end the memberships that others have added.
      .$if(bundleId === null && oldest.kind !== 'link.created', (query) =>
        query.where('bundle_id', 'is', null),
      )
      .$if(linkId === null && oldest.kind !== 'bundle.created', (query) => query.where('link_id', 'is', null))
      .orderBy('id', 'desc')
      .execute()
  )
}

/** Whether the service itself has labelled the link with the title of its destination. */
function isOwnLabel({ via, after_values: after }: ChangeRow): boolean {
  return via === 'watch' && Object.keys(parseValues(after) ?? {}).join() === 'label'
}
