import { Alert, Badge, Button, Group, Text } from '@mantine/core'
import { ErrorNotice } from '@latchkey/web/shell/error-boundary'
import { showSuccess } from '@latchkey/web/toast'
import { useMutation } from '@tanstack/react-query'
import { type Result, call } from '../../call.ts'
import { useFocusWhenGone } from '@latchkey/web/focus-when-gone'
import { LoadMore } from '../../parts/load-more.tsx'
import { Section } from '../../parts/section.tsx'
import { useDevice } from '../../parts/use-device.ts'
import { invalidate, usePages } from '../../queries.ts'
import { useText } from '../../texts/text.ts'

type Session = Result<'listSessions'>['sessions'][number]

export function Sessions() {
  const { t, failure } = useText()
  const { pages, error, retry, ...next } = usePages('sessions', 'listSessions', {})
  const end = useMutation({
    mutationFn: (id: string) => call('endSession', { params: { id } }),
    onSuccess: () => showSuccess(t('account.ended')),
    onSettled: () => invalidate('sessions'),
  })
  const endOthers = useMutation({
    mutationFn: () => call('endOtherSessions', {}),
    onSuccess: ({ revoked }) => showSuccess(t('account.endedOthers', { count: revoked })),
    onSettled: () => invalidate('sessions'),
  })
  const sessions = pages?.flatMap((page) => page.sessions) ?? []
  const list = useFocusWhenGone<HTMLUListElement>(pages && sessions.length)
  if (error && !pages) return <ErrorNotice error={error} onRetry={retry} />
  const failed = end.error ?? endOthers.error
  return (
    <Section title={t('account.sessions')}>
      {failed && (
        <Alert color="red" role="alert">
          {failure(failed)}
        </Alert>
      )}
      <ul className="plain rows" ref={list} tabIndex={-1} aria-label={t('account.sessions')}>
        {sessions.map((session) => (
          <Line
            key={session.id}
            session={session}
            isEnding={end.isPending && end.variables === session.id}
            onEnd={() => end.mutate(session.id)}
          />
        ))}
      </ul>
      <LoadMore more={next.more} isReading={next.isReading} error={next.moreError} />
      {sessions.length > 1 && (
        <Group>
          <Button variant="default" loading={endOthers.isPending} onClick={() => endOthers.mutate()}>
            {t('account.endOthers')}
          </Button>
        </Group>
      )}
    </Section>
  )
}

/** A session. The current one has no button: it ends by signing out. */
function Line({ session, isEnding, onEnd }: { session: Session; isEnding: boolean; onEnd: () => void }) {
  const { t, moment } = useText()
  const device = useDevice(session.userAgent)
  const lastSeen = moment(session.lastSeenAt)
  return (
    <Group component="li" justify="space-between" gap="sm">
      <div style={{ minWidth: 0, flex: '1 1 220px' }}>
        <Group gap="xs">
          <Text fw={500} className="wrap">
            {device}
          </Text>
          {session.current && (
            <Badge variant="light" size="sm" style={{ textTransform: 'none' }}>
              {t('account.thisSession')}
            </Badge>
          )}
        </Group>
        <Text size="sm" c="dimmed" className="wrap">
          {t('account.lastSeen', { when: lastSeen })} ·{' '}
          {t('account.from', { address: session.addressPrefix })}
        </Text>
        <Text size="sm" c="dimmed">
          {t('account.signedInAt', { when: moment(session.createdAt) })}
        </Text>
      </div>
      {!session.current && (
        <Button
          variant="default"
          size="xs"
          loading={isEnding}
          onClick={onEnd}
          aria-label={t('account.endNamed', { device, when: lastSeen })}
        >
          {t('account.end')}
        </Button>
      )}
    </Group>
  )
}
