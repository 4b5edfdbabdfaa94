import { Button, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { Link, useLocation } from 'wouter'
import { loginPath } from '../addresses.ts'
import { UserAvatar, GuestBadge } from '../parts/person.tsx'
import { type User, useSession } from '../session.ts'
import { useText } from '../texts/text.ts'

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
      <AccountLink user={data.user} />
    </>
  )
}

function AccountLink({ user }: { user: User }) {
  const { nickname, identityType } = user
  const { t } = useText()
  return (
    <UnstyledButton
      component={Link}
      href="/account"
      style={{ display: 'flex', alignItems: 'center', gap: 8, minWidth: 0, minHeight: 32 }}
    >
      <VisuallyHidden>{t('account.of', { name: nickname })}</VisuallyHidden>
      <UserAvatar of={user} />
      <Text size="sm" truncate maw={180} visibleFrom="xs" aria-hidden>
        {nickname}
      </Text>
      {identityType === 'guest' && <GuestBadge />}
    </UnstyledButton>
  )
}
