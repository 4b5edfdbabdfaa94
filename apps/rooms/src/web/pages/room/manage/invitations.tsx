import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { tellDone, tellFailed } from '@latchkey/web/told'
import { useMutation } from '@tanstack/react-query'
import { Failed } from '@latchkey/web/shell/boundary'
import { type Result, call } from '../../../call.ts'
import { useFocusWhenGone } from '@latchkey/web/focus-when-gone'
import { changed, useCall } from '../../../queries.ts'
import type { User } from '../../../session.ts'
import { Refusal } from '../../../parts/refusal.tsx'
import { useText } from '../../../texts/text.ts'
import { type Room, rightsIn } from '../room.ts'
import { InviteLink } from './invite-link.tsx'
import { InvitePerson } from './invite-person.tsx'

export function Invitations({ room, user }: { room: Room; user: User }) {
  const { say } = useText()
  const may = rightsIn(room, user)
  return (
    <Stack gap="xl">
      <InviteLink room={room} mayModerators={may('invite_moderators')} />
      {may('search_people') && <InvitePerson room={room} mayModerators={may('invite_moderators')} />}
      <div>
        <Title order={3} size="h4" mb="xs">
          {say('manage.live')}
        </Title>
        <Live room={room} />
      </div>
    </Stack>
  )
}

function Live({ room }: { room: Room }) {
  const { say } = useText()
  const { data, error, refetch } = useCall('invitations', 'listInvitations', { params: { id: room.id } })
  const place = useFocusWhenGone<HTMLDivElement>(data?.invitations.length)
  if (error && !data) return <Failed error={error} onRetry={() => void refetch()} />
  return (
    <div ref={place} tabIndex={-1} role="group" aria-label={say('manage.live')}>
      {data?.invitations.length === 0 ? (
        <Text c="dimmed">{say('manage.noInvitations')}</Text>
      ) : (
        <ul className="plain rows">
          {data?.invitations.map((invitation) => (
            <Line key={invitation.id} invitation={invitation} />
          ))}
        </ul>
      )}
    </div>
  )
}

function Line({ invitation }: { invitation: Result<'listInvitations'>['invitations'][number] }) {
  const { say, moment } = useText()
  const { id, roomId, invitedNickname, permission, expiresAt, useCount, maxUses } = invitation
  const revoke = useMutation({
    mutationFn: () => call('revokeInvitation', { params: { id: roomId, invitationId: id } }),
    onSuccess: () => tellDone(say('manage.revoked')),
    onError: (error) => tellFailed(<Refusal error={error} />),
    onSettled: () => changed('invitations'),
  })
  const what = `${invitedNickname ?? say('manage.inviteLink')}, ${say(`room.role.${permission}`)}`
  return (
    <Group component="li" justify="space-between" gap="sm" wrap="nowrap">
      <div style={{ minWidth: 0 }}>
        <Text size="sm" fw={550} className="wrap">
          {what}
        </Text>
        <Text size="sm" c="dimmed">
          {say('manage.kickedUntil', { when: moment(expiresAt) })}
          {invitedNickname === null && `, ${say('manage.uses', { used: useCount, count: maxUses })}`}
        </Text>
      </div>
      <Button
        size="xs"
        variant="default"
        flex="none"
        loading={revoke.isPending}
        aria-label={say('manage.revokeNamed', { what })}
        onClick={() => revoke.mutate()}
      >
        {say('manage.revoke')}
      </Button>
    </Group>
  )
}
