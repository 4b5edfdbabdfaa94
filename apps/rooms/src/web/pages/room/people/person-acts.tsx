import { Menu } from '@mantine/core'
import { ButtonMenu } from '@latchkey/web/parts/layer'
import { showSuccess, showError } from '@latchkey/web/toast'
import { useMutation } from '@tanstack/react-query'
import type { ComponentProps } from 'react'
import type { MemberRole } from '../../../../api/roles.ts'
import { call } from '../../../call.ts'
import type { Person } from '../../../live/frames.ts'
import { invalidate } from '../../../queries.ts'
import { Refusal } from '../../../parts/refusal.tsx'
import { useText } from '../../../texts/text.ts'
import type { Act } from './person-menu.tsx'

interface Props extends Pick<ComponentProps<typeof ButtonMenu>, 'button' | 'isOpen' | 'onChange'> {
  person: Person
  roomId: string
  roles: readonly MemberRole[]
  mayRemove: boolean
  mayBeOwner: boolean
  onAsk: (act: Act) => void
}

/** The items of the menu of a person. */
export default function PersonActs({ person, roomId, roles, mayRemove, mayBeOwner, onAsk, ...layer }: Props) {
  const { t } = useText()
  const change = useMutation({
    mutationFn: (role: MemberRole) =>
      call('changeMemberRole', { params: { id: roomId, userId: person.userId }, body: { role } }),
    onSuccess: (_, role) =>
      showSuccess(t('manage.roleChanged', { name: person.nickname, role: t(`room.role.${role}`) })),
    onError: (error) => showError(<Refusal error={error} />),
    onSettled: () => invalidate('members', 'room'),
  })
  return (
    <ButtonMenu {...layer} position="bottom-end" withinPortal={false}>
      {roles.map((role) => (
        <Menu.Item key={role} onClick={() => change.mutate(role)}>
          {t('manage.makeRole', { role: t(`room.role.${role}`) })}
        </Menu.Item>
      ))}
      {mayBeOwner && <Menu.Item onClick={() => onAsk('hand')}>{t('manage.hand')}</Menu.Item>}
      {mayRemove && <Menu.Item onClick={() => onAsk('kick')}>{t('manage.kick')}</Menu.Item>}
      {mayRemove && <Menu.Item onClick={() => onAsk('ban')}>{t('manage.ban')}</Menu.Item>}
    </ButtonMenu>
  )
}
