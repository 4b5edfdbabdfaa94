import type { State } from '../changes/states.ts'
import { redactSecrets } from '../changes/values.ts'
import type { NewEvent } from './store.ts'

/** An event of a link without a change of it. */
export function linkEvent(
  type: 'link.expired' | 'link.limit_reached',
  { id, state, at }: { id: number; state: State | undefined; at: number },
): NewEvent {
  const { version, values } = state ?? {}
  return { type, at, data: { link_id: id, version, link: redactSecrets(values) ?? {} } }
}
