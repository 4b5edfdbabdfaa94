import { ActionIcon } from '@mantine/core'
import { IconDots } from '@latchkey/web/icons'
import { lazyPart } from '@latchkey/web/lazy-page'
import { OnUse } from '@latchkey/web/shell/on-use'
import { useState } from 'react'
import { removeActionFor, setRoleActionFor } from '../../../../rooms/permissions.ts'
import { MEMBER_ROLES } from '../../../../api/roles.ts'
import type { Person } from '../../../live/frames.ts'
import type { User } from '../../../session.ts'
import { useText } from '../../../texts/text.ts'
import { type Room, rightsIn } from '../room.ts'

const PersonActs = lazyPart(() => import('./person-acts.tsx'))

/** Action that requires confirmation. */
export type Act = 'kick' | 'ban' | 'hand'

interface Props {
  person: Person
  room: Room
  user: User
  isMember: boolean
  onAsk: (act: Act) => void
}

/**
 * Menu with the actions that the user may perform on a person (R17.4). Absent if there are none.
 */
export function PersonMenu({ person, room, user, isMember, onAsk }: Props) {
  const { t } = useText()
  const [button, setButton] = useState<HTMLElement | null>(null)
  const [isOpen, setOpen] = useState(false)
  const choices = choicesFor(person, rightsIn(room, user), isMember)
  if (choices.roles.length === 0 && !choices.mayRemove && !choices.mayBeOwner) return null
  const ask = (act: Act) => {
    // The menu item disappears, and the focus must return to this button after the dialog.
    button?.focus()
    onAsk(act)
  }
  return (
    <>
      <ActionIcon
        ref={setButton}
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={t('manage.actions', { name: person.nickname })}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <IconDots size={18} />
      </ActionIcon>
      <OnUse isUsed={isOpen}>
        <PersonActs
          {...choices}
          button={button}
          isOpen={isOpen}
          onChange={setOpen}
          person={person}
          roomId={room.id}
          onAsk={ask}
        />
      </OnUse>
    </>
  )
}

function choicesFor({ role, guest }: Person, may: ReturnType<typeof rightsIn>, isMember: boolean) {
  if (role === 'owner') return { roles: [], mayRemove: false, mayBeOwner: false }
  const roles = MEMBER_ROLES.filter(
    (next) =>
      next !== role &&
      may(setRoleActionFor(next)) &&
      may(setRoleActionFor(role)) &&
      !(guest && next === 'moderator'),
  )
  return {
    roles,
    mayRemove: may(removeActionFor(role)),
    mayBeOwner: isMember && !guest && may('change_room'),
  }
}
