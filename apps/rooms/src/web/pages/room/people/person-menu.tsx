import { ActionIcon, Menu } from '@mantine/core'
import { IconDots } from '@latchkey/web/icons'
import { showSuccess, showError } from '@latchkey/web/toast'
import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'
import { removeActionFor, setRoleActionFor } from '../../../../rooms/permissions.ts'
import { MEMBER_ROLES, type MemberRole } from '../../../../api/roles.ts'
import { call } from '../../../call.ts'
import type { Person } from '../../../live/frames.ts'
import { invalidate } from '../../../queries.ts'
import type { User } from '../../../session.ts'
import { Refusal } from '../../../parts/refusal.tsx'
import { useText } from '../../../texts/text.ts'
import { type Room, rightsIn } from '../room.ts'

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
  const change = useMutation({
    mutationFn: (role: MemberRole) =>
      call('changeMemberRole', { params: { id: room.id, userId: person.userId }, body: { role } }),
    onSuccess: (_, role) =>
      showSuccess(t('manage.roleChanged', { name: person.nickname, role: t(`room.role.${role}`) })),
    onError: (error) => showError(<Refusal error={error} />),
    onSettled: () => invalidate('members', 'room'),
  })
  const button = useRef<HTMLButtonElement>(null)
  const ask = (act: Act) => {
    // The menu item disappears, and the focus must return to this button after the dialog.
    button.current?.focus()
    onAsk(act)
  }
  const { roles, mayRemove, mayBeOwner } = choicesFor(person, rightsIn(room, user), isMember)
  if (roles.length === 0 && !mayRemove && !mayBeOwner) return null
  return (
    <Menu position="bottom-end" withinPortal={false}>
      <Menu.Target>
        <ActionIcon
          ref={button}
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={t('manage.actions', { name: person.nickname })}
        >
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {roles.map((role) => (
          <Menu.Item key={role} onClick={() => change.mutate(role)}>
            {t('manage.makeRole', { role: t(`room.role.${role}`) })}
          </Menu.Item>
        ))}
        {mayBeOwner && <Menu.Item onClick={() => ask('hand')}>{t('manage.hand')}</Menu.Item>}
        {mayRemove && <Menu.Item onClick={() => ask('kick')}>{t('manage.kick')}</Menu.Item>}
        {mayRemove && <Menu.Item onClick={() => ask('ban')}>{t('manage.ban')}</Menu.Item>}
      </Menu.Dropdown>
    </Menu>
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
