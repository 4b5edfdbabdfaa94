import { Alert, Anchor, Button, Divider, Skeleton, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { CallError } from '@latchkey/web/call'
import { ErrorNotice } from '@latchkey/web/shell/error-boundary'
import { PageHeading } from '@latchkey/web/shell/heading'
import { Link, useLocation } from 'wouter'
import { loginPath, providerLogin } from '../../addresses.ts'
import { EntryCard } from '../../parts/entry-card.tsx'
import { UserAvatar } from '../../parts/person.tsx'
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
  const { data, error, refetch } = useCall('invitations', 'previewInvitation', { params: { token } })
  const isGone = error instanceof CallError && error.status === 404
  if (isGone) return <InvitationNotFound />
  if (error && !data) return <ErrorNotice error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton h={200} />
  return (
    <EntryCard>
      <div>
        <Inviter invitation={data} />
        <PageHeading title={data.roomName} className="wrap entry-room" />
      </div>
      {data.peopleCount > 1 && <People invitation={data} />}
      <Offer token={token} invitation={data} />
    </EntryCard>
  )
}

type Preview = Result<'previewInvitation'>

const withoutPicture = (person: Preview['invitedBy']) => ({ ...person, avatarUrl: null })

function Inviter({ invitation: { invitedBy } }: { invitation: Preview }) {
  const { t } = useText()
  return (
    <p className="entry-inviter wrap">
      <UserAvatar of={withoutPicture(invitedBy)} size={24} />
      <span>{t('invite.by', { name: invitedBy.nickname })}</span>
    </p>
  )
}

/** Number of people whom the page names. */
const NAMED = 2

/** The people in the room: some pictures, two names, and how many others. */
function People({ invitation: { people, peopleCount } }: { invitation: Preview }) {
  const { t, language } = useText()
  const named = people.slice(0, NAMED).map(({ nickname }) => nickname)
  const others = peopleCount - named.length
  const all = others > 0 ? [...named, t('invite.others', { count: others })] : named
  return (
    <div className="entry-people">
      <span className="entry-faces">
        {people.map((person, index) => (
          <UserAvatar key={index} of={withoutPicture(person)} size={28} />
        ))}
      </span>
      <Text size="sm" c="dimmed" className="wrap">
        {t('invite.members', { people: new Intl.ListFormat(language, { type: 'conjunction' }).format(all) })}
      </Text>
    </div>
  )
}

function InvitationNotFound() {
  const { t } = useText()
  const { data: session } = useSession()
  return (
    <EntryCard>
      <div>
        <PageHeading title={t('invite.gone')} className="entry-room" />
        <Text c="dimmed" mt="xs">
          {t('invite.goneHelp')}
        </Text>
      </div>
      <Button component={Link} href={session === null ? loginPath('/') : '/'} size="md" mih={44}>
        {t(session === null ? 'login.title' : 'page.toLobby')}
      </Button>
    </EntryCard>
  )
}

interface Props {
  token: string
  invitation: Preview
}

function Offer({ token, invitation }: Props) {
  const { t, moment } = useText()
  const { data: session } = useSession()
  const { permission, expiresAt, guestAllowed, roomId } = invitation
  if (roomId !== undefined) return <AlreadyMember roomId={roomId} />
  const isRefusedGuest = session?.user.identityType === 'guest' && !guestAllowed
  return (
    <>
      {session && !isRefusedGuest && <Join token={token} invitation={invitation} />}
      {isRefusedGuest && (
        <div>
          <Text>{t('invite.noGuests')}</Text>
          <Anchor component={Link} href={loginPath(`/invite/${token}`)} underline="always">
            {t('login.title')}
          </Anchor>
        </div>
      )}
      {session === null && <SignInOptions token={token} guestAllowed={guestAllowed} />}
      <Text size="sm" c="dimmed" className="wrap">
        {t('invite.as', { role: t(`room.role.${permission}`), when: moment(expiresAt) })}{' '}
        {t(`room.roleHelp.${permission}`)}
      </Text>
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
        loading={join.isPending}
        onClick={() => join.mutate()}
        styles={{ label: { paddingBlock: 8, whiteSpace: 'normal', overflowWrap: 'anywhere' } }}
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
      <Button component="a" href={providerLogin(back)} size="md" mih={44}>
        {t('login.with', { label: config.provider.label })}
      </Button>
      {config.guestEnabled && guestAllowed && (
        <>
          <Divider label={t('login.or')} styles={{ label: { color: 'var(--mantine-color-dimmed)' } }} />
          <GuestEntry back={back} />
        </>
      )}
      {config.guestEnabled && !guestAllowed && <Text size="sm">{t('invite.noGuests')}</Text>}
    </>
  )
}
