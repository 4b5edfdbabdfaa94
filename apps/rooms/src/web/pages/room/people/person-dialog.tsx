import type { Person } from '../../../live/frames.ts'
import type { Room } from '../room.ts'
import { HandOver } from './hand-over.tsx'
import type { Act } from './person-menu.tsx'
import { RemovePerson } from './remove-person.tsx'

interface Props {
  pending: { act: Act; person: Person } | null
  room: Room
  onClose: () => void
  onRemoved: () => void
}

/** The dialog about a person that is open, if any. */
export default function PersonDialog({ pending, room, onClose, onRemoved }: Props) {
  if (!pending) return null
  const { act, person } = pending
  const shared = { person, room, onClose }
  if (act === 'hand') return <HandOver {...shared} />
  return <RemovePerson action={act} {...shared} onRemoved={onRemoved} />
}
