import type { CallOptions } from '@latchkey/web/call'
import { reply } from '../../../call.ts'
import type { Behaviour, NewBehaviour } from '../../../parts/behaviour/types.ts'
import type { Link } from '../link.ts'

/** A behaviour with the version of its link, which every write raises. */
export interface Snapshot {
  behaviour: Behaviour
  version: string | undefined
}

/** The subject of the dialog. A rule without an index is a new one. */
export type BehaviourDialog =
  | { about: 'rule'; index?: number }
  | { about: 'split' }
  | { about: 'forward' }
  | { about: 'times' }
  | { about: 'test' }

export interface BehaviourControls {
  link: Link
  snapshot: Snapshot
  open: (dialog: BehaviourDialog) => void
}

export const isPlain = (behaviour: Behaviour): boolean => Object.keys(behaviour).length === 0

/** Options of a write that is only for this version of the link (L25.3). */
export function ifVersion(version: string | undefined): CallOptions {
  return version === undefined ? {} : { ifMatch: version }
}

/** Replaces the behaviour, unless the link has another version by now (L25.3). */
export async function writeBehaviour(
  id: number,
  { clicks_left: _, ...body }: NewBehaviour & Pick<Behaviour, 'clicks_left'>,
  version: string | undefined,
): Promise<Snapshot> {
  const { body: behaviour, headers } = await reply(
    'setBehaviour',
    { params: { id }, body },
    ifVersion(version),
  )
  return { behaviour, version: headers.get('ETag') ?? undefined }
}

/** A password cannot be read, and a limit begins again when it is set. */
export function isReversible(before: Behaviour, after: NewBehaviour): boolean {
  return (
    before.max_clicks === after.max_clicks &&
    (after.password === undefined || after.password === true) &&
    (before.password === true) === (after.password === true)
  )
}
