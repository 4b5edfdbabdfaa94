import { Button, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { Link, useLocation } from 'wouter'
import { loginPath } from '../addresses.ts'
import { Face, GuestMark } from '../parts/person.tsx'
import { useSession } from '../session.ts'
import { useText } from '../texts/text.ts'

/** Who is signed in, in the header of every page; else the way to sign in. */
export function Who() {
  const { say } = useText()
  const [path] = useLocation()
  const { data } = useSession()
  if (data === undefined) return null
  if (data === null)
    return path === '/login' ? null : (
      <Button component={Link} href={loginPath(path)} variant="default" size="xs">
        {say('login.title')}
      </Button>
    )
  const { nickname, avatarColor, identityType } = data.user
  return (
    <UnstyledButton
      component={Link}
      href="/account"
      style={{ display: 'flex', alignItems: 'center', gap: 8, minWidth: 0, minHeight: 32 }}
    >
      <VisuallyHidden>{say('account.of', { name: nickname })}</VisuallyHidden>
      <Face nickname={nickname} avatarColor={avatarColor} />
      <Text size="sm" truncate maw={180} visibleFrom="xs" aria-hidden>
        {nickname}
      </Text>
      {identityType === 'guest' && <GuestMark />}
    </UnstyledButton>
  )
}
