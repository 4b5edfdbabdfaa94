import { Alert, Badge, Box, Button, Group, Text } from '@mantine/core'
import { IconClockOff, IconPlayerPause } from '@latchkey/web/icons'
import { dayAndTime } from '../../parts/time-zone.ts'
import { useText } from '../../texts/text.ts'
import { type Link, isMine } from './link.ts'
import { type State, useLinkState } from './use-link-state.ts'
import type { useLinkActions } from './use-link-actions.ts'

const DOTS: Readonly<Record<State, string>> = {
  active: 'var(--mantine-color-teal-6)',
  disabled: 'var(--mantine-color-gray-6)',
  expired: 'var(--mantine-color-orange-6)',
}

export function StateBadge({ link }: { link: Link }) {
  const { t } = useText()
  const state = useLinkState(link)
  const stateTexts = {
    active: t('links.active'),
    disabled: t('links.disabled'),
    expired: t('links.expired'),
  }
  return (
    <Badge
      variant="default"
      size="lg"
      tt="none"
      fw={500}
      leftSection={<Box w={8} h={8} mr={2} bdrs="xl" bg={DOTS[state]} aria-hidden />}
    >
      {stateTexts[state]}
    </Badge>
  )
}

/** Explains a link that does not redirect, with the button for its owner that reactivates it. */
export function StateNotice({ link, actions }: { link: Link; actions: ReturnType<typeof useLinkActions> }) {
  const { t, language } = useText()
  const state = useLinkState(link)
  if (state === 'active') return null
  const isDisabled = state === 'disabled'
  const Icon = isDisabled ? IconPlayerPause : IconClockOff
  const since = (isDisabled ? link.disabled_at : link.expires_at) ?? 0
  const values = { when: dayAndTime(since, language), owner: link.created_by }
  const help = isMine(link)
    ? t(isDisabled ? 'link.isDisabledHelp' : 'link.isExpiredHelp', values)
    : t(isDisabled ? 'link.isDisabledForeign' : 'link.isExpiredForeign', values)
  return (
    <Alert
      variant="default"
      icon={<Icon color={DOTS[state]} aria-hidden />}
      title={t(isDisabled ? 'link.isDisabled' : 'link.isExpired')}
    >
      <Group justify="space-between" gap="sm">
        <Text size="sm" flex="1 1 280px" style={{ overflowWrap: 'anywhere' }}>
          {help}
        </Text>
        {isMine(link) && (
          <Button
            size="xs"
            variant="default"
            onClick={() => {
              if (isDisabled) actions.enable()
              else actions.clearExpiry()
              // The notice disappears afterwards, and the focus would be lost with it.
              document.querySelector<HTMLElement>('main h1')?.focus()
            }}
          >
            {t(isDisabled ? 'link.enable' : 'link.noExpiry')}
          </Button>
        )}
      </Group>
    </Alert>
  )
}
