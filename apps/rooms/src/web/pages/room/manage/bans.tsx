import { Button, Group, Text } from '@mantine/core'
import { showSuccess, showError } from '@latchkey/web/toast'
import { useMutation } from '@tanstack/react-query'
import { ErrorNotice } from '@latchkey/web/shell/error-boundary'
import { removeActionFor } from '../../../../rooms/permissions.ts'
import { call } from '../../../call.ts'
import { useFocusWhenGone } from '@latchkey/web/focus-when-gone'
import { LoadMore } from '../../../parts/load-more.tsx'
import { UserAvatar } from '../../../parts/person.tsx'
import { invalidate, usePages } from '../../../queries.ts'
import type { User } from '../../../session.ts'
import { Refusal } from '../../../parts/refusal.tsx'
import { useText } from '../../../texts/text.ts'
import { type Room, rightsIn } from '../room.ts'

/** Kicked and banned people, each with the reason and the end. */
export function Bans({ room, user }: { room: Room; user: User }) {
  const { t, moment } = useText()
  const may = rightsIn(room, user)
  const list = usePages('bans', 'listBans', { params: { id: room.id } })
  const lift = useMutation({
    mutationFn: ({ userId }: { userId: string; nickname: string }) =>
      call('liftBan', { params: { id: room.id, userId } }),
    onSuccess: (_, { nickname }) => showSuccess(t('manage.lifted', { name: nickname })),
    onError: (error) => showError(<Refusal error={error} />),
    onSettled: () => invalidate('bans'),
  })
  const bans = list.pages?.flatMap((page) => page.bans)
  const place = useFocusWhenGone<HTMLDivElement>(bans?.length)
  if (list.error && !bans) return <ErrorNotice error={list.error} onRetry={list.retry} />
  return (
    <div ref={place} tabIndex={-1} role="group" aria-label={t('manage.bans')}>
      {bans?.length === 0 && <Text c="dimmed">{t('manage.noBans')}</Text>}
      <ul className="plain rows">
        {bans?.map(({ userId, nickname, avatarColor, avatarUrl, reason, expiresAt, role }) => (
          <Group key={userId} component="li" gap="sm" wrap="nowrap" align="flex-start">
            <UserAvatar of={{ nickname, avatarColor, avatarUrl }} size={32} />
            <div style={{ minWidth: 0, flex: 1 }}>
              <Text fw={500} size="sm" className="wrap">
                <bdi>{nickname}</bdi>
              </Text>
              <Text size="sm" c="dimmed">
                {expiresAt === null
                  ? t('manage.banned')
                  : t('manage.kickedUntil', { when: moment(expiresAt) })}
              </Text>
              {reason !== null && (
                <Text size="sm" className="message-text">
                  {reason}
                </Text>
              )}
            </div>
            {may(removeActionFor(role)) && (
              <Button
                size="xs"
                variant="default"
                flex="none"
                aria-label={t('manage.liftNamed', { name: nickname })}
                onClick={() => lift.mutate({ userId, nickname })}
              >
                {t('manage.lift')}
              </Button>
            )}
          </Group>
        ))}
      </ul>
      <LoadMore more={list.more} isReading={list.isReading} error={list.moreError} />
    </div>
  )
}
