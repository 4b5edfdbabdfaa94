import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { showSuccess, showError } from '@latchkey/web/toast'
import { useMutation } from '@tanstack/react-query'
import { ErrorNotice } from '@latchkey/web/shell/error-boundary'
import { type Result, call } from '../../../call.ts'
import { useFocusWhenGone } from '@latchkey/web/focus-when-gone'
import { LoadMore } from '../../../parts/load-more.tsx'
import { invalidate, usePages } from '../../../queries.ts'
import type { User } from '../../../session.ts'
import { Refusal } from '../../../parts/refusal.tsx'
import { useText } from '../../../texts/text.ts'
import { type Room, rightsIn } from '../room.ts'
import { InviteLink } from './invite-link.tsx'
import { InvitePerson } from './invite-person.tsx'

export function Invitations({ room, user }: { room: Room; user: User }) {
  const { t } = useText()
  const may = rightsIn(room, user)
  return (
    <Stack gap="xl">
      {may('search_people') && <InvitePerson room={room} mayModerators={may('invite_moderators')} />}
      <InviteLink room={room} mayModerators={may('invite_moderators')} />
      <div>
        <Title order={3} size="h2" mb="xs">
          {t('manage.live')}
        </Title>
        <LiveInvitations room={room} />
      </div>
    </Stack>
  )
}

function LiveInvitations({ room }: { room: Room }) {
  const { t } = useText()
  const list = usePages('invitations', 'listInvitations', { params: { id: room.id } })
  const invitations = list.pages?.flatMap((page) => page.invitations)
  const place = useFocusWhenGone<HTMLDivElement>(invitations?.length)
  if (list.error && !invitations) return <ErrorNotice error={list.error} onRetry={list.retry} />
  return (
    <div ref={place} tabIndex={-1} role="group" aria-label={t('manage.live')}>
      {invitations?.length === 0 && !list.more ? (
        <Text c="dimmed">{t('manage.noInvitations')}</Text>
      ) : (
        <ul className="plain rows">
          {invitations?.map((invitation) => (
            <Line key={invitation.id} invitation={invitation} />
          ))}
        </ul>
      )}
      <LoadMore more={list.more} isReading={list.isReading} error={list.moreError} />
    </div>
  )
}

function Line({ invitation }: { invitation: Result<'listInvitations'>['invitations'][number] }) {
  const { t, moment } = useText()
  const { id, roomId, invitedNickname, permission, expiresAt, useCount, maxUses } = invitation
  const revoke = useMutation({
    mutationFn: () => call('revokeInvitation', { params: { id: roomId, invitationId: id } }),
    onSuccess: () => showSuccess(t('manage.revoked')),
    onError: (error) => showError(<Refusal error={error} />),
    onSettled: () => invalidate('invitations'),
  })
  const what = `${invitedNickname ?? t('manage.inviteLink')}, ${t(`room.role.${permission}`)}`
  return (
    <Group component="li" justify="space-between" gap="sm" wrap="nowrap">
      <div style={{ minWidth: 0 }}>
        <Text size="sm" fw={500} className="wrap">
          {what}
        </Text>
        <Text size="sm" c="dimmed">
          {t('manage.kickedUntil', { when: moment(expiresAt) })}
          {invitedNickname === null && `, ${t('manage.uses', { used: useCount, count: maxUses })}`}
        </Text>
      </div>
      <Button
        size="xs"
        variant="default"
        flex="none"
        loading={revoke.isPending}
        aria-label={t('manage.revokeNamed', { what })}
        onClick={() => revoke.mutate()}
      >
        {t('manage.revoke')}
      </Button>
    </Group>
  )
}
