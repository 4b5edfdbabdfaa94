import { Menu } from '@mantine/core'
import { IconLogout, IconUser } from '@latchkey/web/icons'
import { ButtonMenu } from '@latchkey/web/parts/layer'
import { showError } from '@latchkey/web/toast'
import type { ComponentProps } from 'react'
import { Link } from 'wouter'
import { useText } from '../texts/text.ts'
import { useSignOut } from './use-sign-out.ts'

type Props = Pick<ComponentProps<typeof ButtonMenu>, 'button' | 'isOpen' | 'onChange'>

/** The menu behind the picture of the user. */
export default function AccountItems(layer: Props) {
  const { t, failure } = useText()
  const signOut = useSignOut((error) => showError(failure(error)))
  return (
    <ButtonMenu {...layer} position="bottom-end" width={200}>
      <Menu.Item component={Link} href="/account" leftSection={<IconUser size={16} aria-hidden />}>
        {t('nav.account')}
      </Menu.Item>
      <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => signOut.mutate({})}>
        {t('account.signOut')}
      </Menu.Item>
    </ButtonMenu>
  )
}
