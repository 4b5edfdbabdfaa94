import { ActionIcon, Anchor } from '@mantine/core'
import { IconMicrophone, IconMicrophoneOff, IconPhone } from '@latchkey/web/icons'
import { useSyncExternalStore } from 'react'
import { Link } from 'wouter'
import { IconPhoneOff } from './icons.ts'
import { useText } from '../../texts/text.ts'
import type { CallSession } from '../call-session.ts'

/** The call of a room on other pages, with the link back to it. */
export function CallBar({ session }: { session: CallSession }) {
  const { t } = useText()
  const { own, grants, phase } = useSyncExternalStore(session.watch, session.state)
  const { id, name } = session.room
  const label = t(own.audio ? 'call.microphoneOff' : 'call.microphoneOn')
  return (
    <section className="call-bar" aria-label={t('call.title')}>
      <IconPhone size={18} aria-hidden />
      <Anchor component={Link} href={`/rooms/${id}`} className="call-bar-room">
        {t('call.inCall', { room: name })}
      </Anchor>
      {phase === 'in' && grants.audio && (
        <ActionIcon
          variant={own.audio ? 'filled' : 'default'}
          radius="xl"
          size="lg"
          aria-label={label}
          aria-pressed={own.audio}
          onClick={() => void session.setMicrophone(!own.audio)}
        >
          {own.audio ? <IconMicrophone size={18} aria-hidden /> : <IconMicrophoneOff size={18} aria-hidden />}
        </ActionIcon>
      )}
      <ActionIcon
        variant="filled"
        color="red"
        radius="xl"
        size="lg"
        aria-label={t('call.leave')}
        onClick={() => session.leave()}
      >
        <IconPhoneOff size={18} aria-hidden />
      </ActionIcon>
    </section>
  )
}
