import { Anchor, Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { ButtonPopover } from '@latchkey/web/parts/layer'
import { withUndo } from '@latchkey/web/parts/undo'
import { IconClock, IconMessage, IconPhone } from './icons.ts'
import { showError, showSuccess } from '@latchkey/web/toast'
import { CallError } from '@latchkey/web/call'
import { useMutation } from '@tanstack/react-query'
import { Link, useLocation } from 'wouter'
import { call } from '../call.ts'
import { LoadingOrError } from '../parts/loading-or-error.tsx'
import { invalidate, useCall } from '../queries.ts'
import { useSession, useUser } from '../session.ts'
import { useText } from '../texts/text.ts'
import { joinCall } from '../voice/current-call.ts'
import { type OpenedCard, openCard } from './open-card.ts'
import { PersonStatus, PresenceAvatar } from './person-status.tsx'
import { usePerson } from './use-people.ts'

/** What a person shows of themselves, beside the name that was pressed. */
export default function PersonCard({ userId, nickname, button }: OpenedCard) {
  const close = () => {
    openCard(null)
    button.focus({ preventScroll: true })
  }
  return (
    <ButtonPopover
      button={button}
      isOpen
      onChange={(isOpen) => !isOpen && close()}
      label={nickname}
      width={320}
      position="bottom-start"
      padding={16}
    >
      <Content userId={userId} onClose={close} />
    </ButtonPopover>
  )
}

function Content({ userId, onClose }: { userId: string; onClose: () => void }) {
  const { t } = useText()
  const own = useUser()
  const { data, error, refetch } = useCall('people', 'getPerson', { params: { userId } })
  const person = usePerson(userId) ?? data?.person
  if (error instanceof CallError && error.status === 404)
    return (
      <Text size="sm" tabIndex={-1} data-autofocus>
        {t('people.unavailable')}
      </Text>
    )
  if (!data || !person)
    return error ? <LoadingOrError error={error} onRetry={() => void refetch()} /> : <Skeleton height={96} />
  return (
    <Stack gap="sm">
      <Group gap="md" wrap="nowrap" align="center">
        <PresenceAvatar person={person} size={64} />
        <div style={{ minWidth: 0 }}>
          <Text fw={600} className="wrap">
            <bdi>{person.nickname}</bdi>
          </Text>
          {person.title !== null && (
            <Text size="sm" className="wrap">
              {person.title}
            </Text>
          )}
          <Text size="sm" c="dimmed">
            {t(person.present ? 'person.present' : 'person.absent')}
          </Text>
        </div>
      </Group>
      <PersonStatus status={person.status} isWhole />
      {person.timeZone !== null && <LocalTime zone={person.timeZone} />}
      {data.rooms.length > 0 && (
        <div>
          <Text size="xs" c="dimmed" fw={500}>
            {t('people.rooms')}
          </Text>
          <Group component="ul" className="plain" gap={8}>
            {data.rooms.map(({ id, name }) => (
              <li key={id}>
                <Anchor component={Link} href={`/rooms/${id}`} size="sm" onClick={onClose} className="wrap">
                  {name}
                </Anchor>
              </li>
            ))}
          </Group>
        </div>
      )}
      {userId === own.id ? (
        <Button component={Link} href="/account" variant="default" size="sm" onClick={onClose}>
          {t('people.editProfile')}
        </Button>
      ) : (
        <Actions person={person} onClose={onClose} />
      )}
    </Stack>
  )
}

function LocalTime({ zone }: { zone: string }) {
  const { t, language } = useText()
  const time = new Intl.DateTimeFormat(language, { timeStyle: 'short', timeZone: zone }).format(new Date())
  return (
    <Group gap={6} wrap="nowrap" c="dimmed">
      <IconClock size={16} aria-hidden />
      <Text size="sm" title={zone}>
        {t('people.localTime', { time })}
      </Text>
    </Group>
  )
}

interface ActionsProps {
  person: { id: string; nickname: string }
  onClose: () => void
}

function Actions({ person: { id: userId, nickname }, onClose }: ActionsProps) {
  const { t, failure } = useText()
  const [, go] = useLocation()
  const isBlocked = useSession().data?.blockedIds.includes(userId) === true
  const open = useMutation({
    mutationFn: async ({ withCall }: { withCall: boolean }) => {
      const { room } = await call('openDirect', { body: { userIds: [userId] } })
      onClose()
      await invalidate('rooms')
      go(`/rooms/${room.id}`)
      if (withCall) await joinCall(room)
    },
    onError: (error) => showError(failure(error)),
  })
  const block = useMutation({
    mutationFn: (isOn: boolean) => call(isOn ? 'blockUser' : 'unblockUser', { params: { userId } }),
    onSuccess: async (_, isOn) => {
      if (isOn)
        withUndo(t, t('people.blocked', { name: nickname }), {
          // It holds at once.
          act: () => {},
          undo: () => block.mutate(false),
        })
      else showSuccess(t('people.unblocked', { name: nickname }))
      await invalidate('session', 'rooms', 'people')
    },
    onError: (error) => showError(failure(error)),
  })
  return (
    <Group gap="xs">
      <Button
        size="sm"
        leftSection={<IconMessage size={16} aria-hidden />}
        loading={open.isPending}
        onClick={() => open.mutate({ withCall: false })}
      >
        {t('people.message')}
      </Button>
      <Button
        size="sm"
        variant="default"
        leftSection={<IconPhone size={16} aria-hidden />}
        disabled={open.isPending}
        onClick={() => open.mutate({ withCall: true })}
      >
        {t('people.call')}
      </Button>
      <Button
        size="sm"
        variant="subtle"
        color="gray"
        ml="auto"
        disabled={block.isPending}
        onClick={() => block.mutate(!isBlocked)}
      >
        {t(isBlocked ? 'people.unblock' : 'people.block')}
      </Button>
    </Group>
  )
}
