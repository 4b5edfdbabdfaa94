import { Button, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { lazyPart } from '@latchkey/web/lazy-page'
import { OnUse } from '@latchkey/web/shell/on-use'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { loginPath } from '../addresses.ts'
import { loadAccountPopover } from '../people/load.ts'
import { UserAvatar, GuestBadge } from '../parts/person.tsx'
import { type User, useSession } from '../session.ts'
import { useText } from '../texts/text.ts'

const AccountPopover = lazyPart(loadAccountPopover)

/** Header: the signed-in user, or a link to the sign-in page. */
export function AccountMenu() {
  const { t } = useText()
  const [path] = useLocation()
  const { data } = useSession()
  if (data === undefined) return null
  const isGuest = data?.user.identityType === 'guest'
  const signIn = path !== '/login' && (
    // A phone has no room for this button beside a guest, who can also sign in on the account page.
    <Button
      component={Link}
      href={loginPath(path)}
      variant="default"
      size="xs"
      flex="none"
      {...(isGuest && { visibleFrom: 'sm' })}
    >
      {t('login.title')}
    </Button>
  )
  if (data === null) return signIn
  return (
    <>
      {isGuest && signIn}
      <AccountButton user={data.user} />
    </>
  )
}

function AccountButton({ user }: { user: User }) {
  const { t } = useText()
  const [button, setButton] = useState<HTMLElement | null>(null)
  const [isOpen, setOpen] = useState(false)
  const { nickname, identityType } = user
  return (
    <>
      <UnstyledButton
        ref={setButton}
        className="account-button"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <VisuallyHidden>{t('account.of', { name: nickname })}</VisuallyHidden>
        <UserAvatar of={user} />
        <Text size="sm" truncate maw={180} visibleFrom="xs" aria-hidden>
          {nickname}
        </Text>
        {identityType === 'guest' && <GuestBadge />}
      </UnstyledButton>
      <OnUse isUsed={isOpen}>
        <AccountPopover button={button} isOpen={isOpen} onChange={setOpen} user={user} />
      </OnUse>
    </>
  )
}
