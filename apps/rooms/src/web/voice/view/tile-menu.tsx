import { ActionIcon, Button, Popover, Stack } from '@mantine/core'
import { IconDots } from '@latchkey/web/icons'
import { showError } from '@latchkey/web/toast'
import { type ReactNode, useState } from 'react'
import type { CallPeer } from '../../live/frames.ts'
import { Refusal } from '../../parts/refusal.tsx'
import { useText } from '../../texts/text.ts'
import type { CallAction, CallSession } from '../call-session.ts'

interface Props {
  peer: CallPeer
  name: string
  session: CallSession
  mayModerate: boolean
  isFeatured: boolean
  onFeature: (connectionId: string | undefined) => void
}

/** Size and volume of a person and, for moderators, their part in the call. */
export function TileMenu(props: Props) {
  const { t } = useText()
  const [isOpen, setOpen] = useState(false)
  const label = t('call.actions', { name: props.name })
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-end"
      trapFocus
      returnFocus
      shadow="md"
      portalProps={{ target: '#content' }}
    >
      <Popover.Target>
        <ActionIcon
          className="call-tile-menu"
          variant="default"
          size="md"
          aria-label={label}
          onClick={() => setOpen(!isOpen)}
        >
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label={label} className="room-popover">
        {isOpen && <Actions {...props} close={() => setOpen(false)} />}
      </Popover.Dropdown>
    </Popover>
  )
}

function Actions({
  peer,
  session,
  mayModerate,
  isFeatured,
  onFeature,
  close,
}: Props & { close: () => void }) {
  const { t } = useText()
  const { connectionId, userId, audio, hand } = peer
  const moderate = (action: CallAction) => () => {
    close()
    session.moderate(userId, action).catch((error: unknown) => showError(<Refusal error={error} />))
  }
  const feature = () => {
    close()
    onFeature(isFeatured ? undefined : connectionId)
  }
  return (
    <Stack gap="xs">
      <label className="call-volume">
        {t('call.volume')}
        <input
          type="range"
          min={0}
          max={1}
          step={0.05}
          defaultValue={session.choices.volumes?.[userId] ?? 1}
          onChange={({ currentTarget }) => session.setVolume(userId, Number(currentTarget.value))}
        />
      </label>
      <Action onClick={feature}>{t(isFeatured ? 'call.unfeature' : 'call.feature')}</Action>
      {mayModerate && audio && <Action onClick={moderate('mute')}>{t('call.mute')}</Action>}
      {mayModerate && hand !== null && <Action onClick={moderate('lower_hand')}>{t('call.lower')}</Action>}
      {mayModerate && (
        <Action color="red" onClick={moderate('remove')}>
          {t('call.remove')}
        </Action>
      )}
    </Stack>
  )
}

function Action(props: { color?: string; onClick: () => void; children: ReactNode }) {
  return <Button size="compact-sm" variant="default" justify="flex-start" {...props} />
}
