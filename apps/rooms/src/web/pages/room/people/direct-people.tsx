import { PersonName } from '../../../people/person-name.tsx'
import { PersonStatus, PresenceAvatar } from '../../../people/person-status.tsx'
import { usePerson } from '../../../people/use-people.ts'
import type { User } from '../../../session.ts'
import { useText } from '../../../texts/text.ts'
import type { Room } from '../room.ts'

interface Props {
  people: NonNullable<Room['people']>
  user: User
}

/** The people of a direct conversation, with what they show of themselves. */
export function DirectPeople({ people, user }: Props) {
  const { t } = useText()
  return (
    <ul className="plain" aria-label={t('room.people')}>
      {[...people, user].map((person) => (
        <DirectPerson key={person.id} of={person} isSelf={person.id === user.id} />
      ))}
    </ul>
  )
}

function DirectPerson({ of, isSelf }: { of: Props['people'][number]; isSelf: boolean }) {
  const { t } = useText()
  const person = usePerson(of.id)
  return (
    <li className="person">
      <PresenceAvatar of={of} person={person} size={28} />
      <div className="person-about">
        <span className="person-name">
          <PersonName userId={of.id} nickname={of.nickname} /> {isSelf && `(${t('room.you')})`}
        </span>
        <PersonStatus status={person?.status} />
      </div>
    </li>
  )
}
