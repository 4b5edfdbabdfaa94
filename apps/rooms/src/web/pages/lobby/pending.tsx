import { Alert, Button, Group, Text } from '@mantine/core'
import { showSuccess, showError } from '@latchkey/web/toast'
import { useMutation } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { call } from '../../call.ts'
import { useFocusWhenGone } from '@latchkey/web/focus-when-gone'
import { LoadMore } from '../../parts/load-more.tsx'
import { Section } from '../../parts/section.tsx'
import { invalidate, usePages } from '../../queries.ts'
import type { User } from '../../session.ts'
import { useText } from '../../texts/text.ts'

/** Pending invitations and ownership transfers (R23.2). */
export function Pending({ user }: { user: User }) {
  const { t } = useText()
  const { pages, error, retry, ...next } = usePages('pending', 'listPendingInvitations', {})
  const offers = usePages('pending', 'listPendingTransfers', {})
  const invitations = pages?.flatMap((page) => page.invitations) ?? []
  const transfers = offers.pages?.flatMap((page) => page.transfers) ?? []
  const list = useFocusWhenGone<HTMLUListElement>(invitations.length + transfers.length)
  const failed = (pages ? null : error) ?? (offers.pages ? null : offers.error)
  if (!failed && invitations.length + transfers.length === 0) return null
  const refetch = () => {
    retry()
    offers.retry()
  }
  return (
    <Section title={t('lobby.pending')}>
      {failed && <ReadError error={failed} onRetry={refetch} />}
      <ul className="plain rows" ref={list} tabIndex={-1} aria-label={t('lobby.pending')}>
        {invitations.map(({ id, roomId, roomName, permission, expiresAt }) => (
          <PendingItem
            key={id}
            what={t('lobby.invitedTo', { room: roomName, role: t(`room.role.${permission}`) })}
            until={expiresAt}
            done={t('lobby.accepted', { room: roomName })}
            accept={{
              act: () => call('acceptInvitation', { params: { invitation: id } }),
              leadsTo: `/rooms/${roomId}`,
            }}
            decline={() => call('declineInvitation', { params: { invitationId: id } })}
          />
        ))}
        {transfers.map(({ roomId, roomName, fromNickname, toUserId, expiresAt }) =>
          toUserId === user.id ? (
            <PendingItem
              key={roomId}
              what={t('lobby.offered', { name: fromNickname, room: roomName })}
              until={expiresAt}
              done={t('lobby.owned', { room: roomName })}
              accept={{
                act: () => call('confirmTransfer', { params: { id: roomId } }),
                leadsTo: `/rooms/${roomId}`,
              }}
              decline={() => call('declineTransfer', { params: { id: roomId } })}
            />
          ) : (
            <PendingItem
              key={roomId}
              what={t('lobby.offering', { room: roomName })}
              until={expiresAt}
              done={t('lobby.withdrawn')}
              withdraw={() => call('cancelTransfer', { params: { id: roomId } })}
            />
          ),
        )}
      </ul>
      <LoadMore more={next.more} isReading={next.isReading} error={next.moreError} />
    </Section>
  )
}

function ReadError({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const { t, failure } = useText()
  return (
    <Alert color="red" role="alert" title={t('page.error')}>
      <Group justify="space-between" gap="sm">
        <Text size="sm">{failure(error)}</Text>
        <Button size="xs" variant="default" onClick={onRetry}>
          {t('page.retry')}
        </Button>
      </Group>
    </Alert>
  )
}

interface Props {
  what: string
  until: string
  /** Confirmation after accepting or withdrawing. */
  done: string
  accept?: { act: () => Promise<unknown>; leadsTo: string }
  decline?: () => Promise<unknown>
  withdraw?: () => Promise<unknown>
}

function PendingItem({ what, until, done, accept, decline, withdraw }: Props) {
  const { t, moment, failure } = useText()
  const [, go] = useLocation()
  const answer = useMutation({
    mutationFn: ({ act }: { act: () => Promise<unknown>; words: string; leadsTo?: string }) => act(),
    onSuccess(_, { words, leadsTo }) {
      showSuccess(words)
      if (leadsTo !== undefined) go(leadsTo)
    },
    onError: (error) => showError(failure(error)),
    onSettled: () => invalidate('pending', 'rooms'),
  })
  const button = (
    words: string,
    label: string,
    press: Parameters<typeof answer.mutate>[0],
    isFirst = false,
  ) => (
    <Button
      size="xs"
      variant={isFirst ? 'filled' : 'default'}
      aria-label={label}
      disabled={answer.isPending}
      onClick={() => answer.mutate(press)}
    >
      {words}
    </Button>
  )
  return (
    <Group component="li" justify="space-between" gap="sm">
      <div style={{ minWidth: 0, flex: '1 1 220px' }}>
        <Text className="wrap" fw={500}>
          {what}
        </Text>
        <Text size="sm" c="dimmed">
          {t('lobby.until', { when: moment(until) })}
        </Text>
      </div>
      <Group gap="xs">
        {accept &&
          button(t('lobby.accept'), t('lobby.acceptNamed', { what }), { ...accept, words: done }, true)}
        {decline &&
          button(t('lobby.decline'), t('lobby.declineNamed', { what }), {
            act: decline,
            words: t('lobby.declined'),
          })}
        {withdraw &&
          button(t('lobby.withdraw'), t('lobby.withdrawNamed', { what }), { act: withdraw, words: done })}
      </Group>
    </Group>
  )
}
