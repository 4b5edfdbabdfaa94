import { Alert, Anchor, Button, Paper, Skeleton, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { CallError } from '@latchkey/web/call'
import { Notice } from '@latchkey/web/parts/notice'
import { ErrorNotice } from '@latchkey/web/shell/error-boundary'
import { PageHeading } from '@latchkey/web/shell/heading'
import { Link, useLocation } from 'wouter'
import { loginPath, providerLogin } from '../../addresses.ts'
import { type Result, call } from '../../call.ts'
import { invalidate, useCall } from '../../queries.ts'
import { useSession } from '../../session.ts'
import { useText } from '../../texts/text.ts'
import { GuestEntry } from '../login/guest-entry.tsx'

/**
 * Page of an invitation link. Opening it does not use up the invitation: joining takes a button
 * (R23.4).
 */
export default function InvitationPage({ token }: { token: string }) {
  const { t } = useText()
  const { data, error, refetch } = useCall('invitations', 'previewInvitation', { params: { token } })
  const isGone = error instanceof CallError && error.status === 404
  if (isGone) return <InvitationNotFound />
  if (error && !data) return <ErrorNotice error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton h={200} />
  return (
    <Stack gap="lg" maw={480}>
      <PageHeading title={t('invite.to', { room: data.roomName })} className="wrap" />
      <Offer token={token} invitation={data} />
    </Stack>
  )
}

function InvitationNotFound() {
  const { t } = useText()
  return (
    <>
      <PageHeading title={t('invite.title')} mb="lg" />
      <Notice
        title={t('invite.gone')}
        help={t('invite.goneHelp')}
        action={
          <Button variant="default" component={Link} href="/">
            {t('page.toLobby')}
          </Button>
        }
      />
    </>
  )
}

interface Props {
  token: string
  invitation: Result<'previewInvitation'>
}

function Offer({ token, invitation }: Props) {
  const { t, moment } = useText()
  const { data: session } = useSession()
  const { permission, expiresAt, guestAllowed, roomId } = invitation
  if (roomId !== undefined) return <AlreadyMember roomId={roomId} />
  const isRefusedGuest = session?.user.identityType === 'guest' && !guestAllowed
  return (
    <>
      <Text className="wrap">
        {t('invite.as', { role: t(`room.role.${permission}`), when: moment(expiresAt) })}
      </Text>
      <Text size="sm" c="dimmed">
        {t(`room.roleHelp.${permission}`)}
      </Text>
      {session && !isRefusedGuest && <Join token={token} invitation={invitation} />}
      {isRefusedGuest && (
        <Paper withBorder p="md">
          <Stack gap="xs" align="flex-start">
            <Text>{t('invite.noGuests')}</Text>
            <Anchor component={Link} href={loginPath(`/invite/${token}`)} underline="always">
              {t('login.title')}
            </Anchor>
          </Stack>
        </Paper>
      )}
      {session === null && <SignInOptions token={token} guestAllowed={guestAllowed} />}
    </>
  )
}

function AlreadyMember({ roomId }: { roomId: string }) {
  const { t } = useText()
  return (
    <>
      <Text>{t('invite.member')}</Text>
      <Button component={Link} href={`/rooms/${roomId}`} size="md">
        {t('invite.toRoom')}
      </Button>
    </>
  )
}

function Join({ token, invitation: { roomName } }: Props) {
  const { t, failure } = useText()
  const [, go] = useLocation()
  const join = useMutation({
    mutationFn: () => call('acceptInvitation', { params: { invitation: token } }),
    async onSuccess({ roomId }) {
      await invalidate('rooms', 'room')
      go(`/rooms/${roomId}`)
    },
    // Shows what has changed since the preview.
    onError: () => invalidate('invitations'),
  })
  return (
    <>
      {join.error && (
        <Alert color="red" role="alert">
          {failure(join.error)}
        </Alert>
      )}
      <Button
        size="md"
        h="auto"
        mih={44}
        py="xs"
        loading={join.isPending}
        onClick={() => join.mutate()}
        styles={{ label: { whiteSpace: 'normal', overflowWrap: 'anywhere' } }}
      >
        {t('invite.join', { room: roomName })}
      </Button>
    </>
  )
}

/** Ways to sign in. Each leads back to this page. */
function SignInOptions({ token, guestAllowed }: { token: string; guestAllowed: boolean }) {
  const { t } = useText()
  const { data: config } = useCall('config', 'getConfig', {})
  const back = `/invite/${token}`
  if (!config) return null
  return (
    <>
      <Text>{t('invite.signInFirst')}</Text>
      <Button component="a" href={providerLogin(back)} size="md">
        {t('login.with', { label: config.provider.label })}
      </Button>
      {config.guestEnabled && guestAllowed && <GuestEntry back={back} />}
      {config.guestEnabled && !guestAllowed && <Text size="sm">{t('invite.noGuests')}</Text>}
    </>
  )
}
