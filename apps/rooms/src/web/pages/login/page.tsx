import { Alert, Anchor, Button, Divider, Stack, Text } from '@mantine/core'
import { IconLogin2 } from '@latchkey/web/icons'
import { ErrorNotice } from '@latchkey/web/shell/error-boundary'
import { PageHeading } from '@latchkey/web/shell/heading'
import { useEffect } from 'react'
import { useSearch } from 'wouter/use-browser-location'
import { providerLogin, returnPath } from '../../addresses.ts'
import { EntryCard } from '../../parts/entry-card.tsx'
import { useCall } from '../../queries.ts'
import { type User, useSession } from '../../session.ts'
import { endedKey, loginErrorKey, useText } from '../../texts/text.ts'
import { GuestEntry } from './guest-entry.tsx'

/**
 * Ways to sign in, and the error of the last attempt. No login starts automatically, so a failure
 * never loops.
 */
export default function LoginPage() {
  const { t } = useText()
  const search = useSearch()
  const back = returnPath(search)
  const error = new URLSearchParams(search).get('error')
  const { data: session } = useSession()
  const isMember = session?.user.identityType === 'oauth'
  const isSignedIn = isMember && error === null
  useEffect(() => {
    if (isSignedIn) location.replace(back)
  }, [isSignedIn, back])
  if (isSignedIn) return null
  return (
    <EntryCard>
      <PageHeading title={t('login.title')} />
      <LoginNotice search={search} />
      {session && <SignedInNotice user={session.user} back={back} />}
      <SignInOptions back={back} error={error} mayEnter={session === null} />
    </EntryCard>
  )
}

function LoginNotice({ search }: { search: string }) {
  const { t } = useText()
  const query = new URLSearchParams(search)
  const error = query.get('error')
  const ended = endedKey(query.get('ended') ?? '')
  if (error !== null)
    return (
      <Alert color="red" role="alert" title={t('login.failed')}>
        {t(loginErrorKey(error))}
      </Alert>
    )
  if (ended === undefined) return null
  return (
    <Alert color="ink" role="status" title={t('login.ended')}>
      {t(ended)}
    </Alert>
  )
}

/**
 * Notice for guests, who may sign in with an account, and for members who come from a login that
 * failed in another tab.
 */
function SignedInNotice({ user, back }: { user: User; back: string }) {
  const { t } = useText()
  const isGuest = user.identityType === 'guest'
  return (
    <Stack gap="xs" align="flex-start">
      {isGuest && (
        <>
          <Text fw={500} className="wrap">
            {t('login.youAreGuest', { name: user.nickname })}
          </Text>
          <Text size="sm" c="dimmed">
            {t('login.youAreGuestHelp')}
          </Text>
        </>
      )}
      <Anchor href={back} underline="always" className="wrap">
        {isGuest ? t('login.stayGuest') : t('login.goOn', { name: user.nickname })}
      </Anchor>
    </Stack>
  )
}

function SignInOptions({ back, error, mayEnter }: { back: string; error: string | null; mayEnter: boolean }) {
  const { t } = useText()
  const { data: config, error: failed, refetch } = useCall('config', 'getConfig', {})
  if (failed && !config) return <ErrorNotice error={failed} onRetry={() => void refetch()} />
  if (!config) return null
  const needsOther = error === 'account_disabled' || error === 'access_not_granted'
  return (
    <>
      <Button
        component="a"
        href={providerLogin(back, needsOther ? 'select_account' : undefined)}
        size="md"
        h="auto"
        mih={44}
        leftSection={<IconLogin2 size={20} aria-hidden />}
        // As high as its label, which stays in the middle.
        styles={{
          inner: { minHeight: 42 },
          label: { paddingBlock: 8, whiteSpace: 'normal', overflowWrap: 'anywhere' },
        }}
      >
        {needsOther ? t('login.otherAccount') : t('login.with', { label: config.provider.label })}
      </Button>
      {config.guestEnabled && mayEnter && (
        <>
          <Divider label={t('login.or')} styles={{ label: { color: 'var(--mantine-color-dimmed)' } }} />
          <GuestEntry back={back} />
        </>
      )}
    </>
  )
}
