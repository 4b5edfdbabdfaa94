import { lazyPart } from '@latchkey/web/lazy-page'
import { OnUse } from '@latchkey/web/shell/on-use'
import { useRef, useState } from 'react'
import type { Person } from '../../../live/frames.ts'
import type { User } from '../../../session.ts'
import { useText } from '../../../texts/text.ts'
import { PersonLine } from './person-line.tsx'
import type { Act } from './person-menu.tsx'
import type { Room } from '../room.ts'

const PersonDialog = lazyPart(() => import('./person-dialog.tsx'))

interface Props {
  people: readonly (Person & { note?: string })[]
  room: Room
  user: User
  /** True if all these people are members of the room. */
  areMembers?: boolean
  label?: string
}

/**
 * List of people. A dialog about one of them stays open if they disappear from the list meanwhile.
 */
export function People({ people, room, user, areMembers = false, label }: Props) {
  const { t } = useText()
  const [pendingAct, setPendingAct] = useState<{ act: Act; person: Person } | null>(null)
  const list = useRef<HTMLUListElement>(null)
  return (
    <>
      <ul className="plain" ref={list} tabIndex={-1} aria-label={label ?? t('room.people')}>
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
      <OnUse isUsed={pendingAct !== null}>
        <PersonDialog
          pending={pendingAct}
          room={room}
          onClose={() => setPendingAct(null)}
          onRemoved={() => list.current?.focus()}
        />
      </OnUse>
    </>
  )
}
