import { Menu } from '@mantine/core'
import { IconLogout, IconUser } from '@latchkey/web/icons'
import { ButtonMenu } from '@latchkey/web/parts/layer'
import { showError } from '@latchkey/web/toast'
import { type ComponentProps, useState } from 'react'
import { Link } from 'wouter'
import { useCall } from '../queries.ts'
import type { User } from '../session.ts'
import { useText } from '../texts/text.ts'
import { IconMoodSmile } from './icons.ts'
import { PersonStatus } from './person-status.tsx'
import { StatusDialog } from './status-dialog.tsx'
import { useSignOut } from '../shell/use-sign-out.ts'

interface Props extends Pick<ComponentProps<typeof ButtonMenu>, 'button' | 'isOpen' | 'onChange'> {
  user: User
}

/** The menu behind the user's own picture. */
export default function AccountPopover({ user, ...layer }: Props) {
  const { t, failure } = useText()
  const isMember = user.identityType === 'oauth'
  const { data } = useCall('status', 'getStatus', {}, isMember && layer.isOpen)
  const [isEditing, setEditing] = useState(false)
  const signOut = useSignOut((error) => showError(failure(error)))
  const status = data?.status
  return (
    <>
      <ButtonMenu {...layer} position="bottom-end" width={260}>
        <Menu.Label className="wrap">{user.nickname}</Menu.Label>
        {isMember && (
          <Menu.Item leftSection={<IconMoodSmile size={18} aria-hidden />} onClick={() => setEditing(true)}>
            {status?.text || status?.emoji ? <PersonStatus status={status} /> : t('status.set')}
          </Menu.Item>
        )}
        <Menu.Item component={Link} href="/account" leftSection={<IconUser size={18} aria-hidden />}>
          {t('nav.account')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={18} aria-hidden />} onClick={() => signOut.mutate({})}>
          {t('account.signOut')}
        </Menu.Item>
      </ButtonMenu>
      {isEditing && <StatusDialog onClose={() => setEditing(false)} />}
    </>
  )
}
