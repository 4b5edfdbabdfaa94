import { useRef, useState } from 'react'
import type { Person } from '../../../live/frames.ts'
import type { User } from '../../../session.ts'
import { useText } from '../../../texts/text.ts'
import { HandOver } from './hand-over.tsx'
import { PersonLine } from './person-line.tsx'
import type { Act } from './person-menu.tsx'
import { RemovePerson } from './remove-person.tsx'
import type { Room } from '../room.ts'

interface Props {
  people: readonly Person[]
  room: Room
  user: User
  /** True if all these people are members of the room. */
  areMembers?: boolean
}

/**
 * List of people. A dialog about one of them stays open if they disappear from the list meanwhile.
 */
export function People({ people, room, user, areMembers = false }: Props) {
  const { t } = useText()
  const [pendingAct, setPendingAct] = useState<{ act: Act; person: Person } | null>(null)
  const list = useRef<HTMLUListElement>(null)
  const shared = pendingAct && { person: pendingAct.person, room, onClose: () => setPendingAct(null) }
  return (
    <>
      <ul className="plain" ref={list} tabIndex={-1} aria-label={t('room.people')}>
        {people.map((person) => (
          <PersonLine
            key={person.userId}
            person={person}
            room={room}
            user={user}
            isMember={areMembers}
            onAsk={(act) => setPendingAct({ act, person })}
          />
        ))}
      </ul>
      {shared && pendingAct.act === 'hand' && <HandOver {...shared} />}
      {shared && pendingAct.act !== 'hand' && (
        <RemovePerson action={pendingAct.act} {...shared} onRemoved={() => list.current?.focus()} />
      )}
    </>
  )
}
