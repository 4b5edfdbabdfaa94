import { Button } from '@mantine/core'
import { IconPhone } from '@latchkey/web/icons'
import { setTitleNotice } from '@latchkey/web/page-title'
import { showError } from '@latchkey/web/toast'
import { type ReactNode, useEffect, useId } from 'react'
import { Link, useLocation } from 'wouter'
import { call } from '../../call.ts'
import type { CallAlert } from '../../live/frames.ts'
import { UserAvatar } from '../../parts/person.tsx'
import { useDirects } from '../../sidebar/lobby.ts'
import { useText } from '../../texts/text.ts'
import type { ListedAlert } from '../call-alerts.tsx'
import { joinCall } from '../current-call.ts'
import { IconPhoneOff } from './icons.ts'
import { type Shortcut, ariaKeys, shortcutOf, shortcutText } from './shortcuts.ts'
import { useAlertSound } from './use-alert-sound.ts'

/** Time in which the server says how an alert has ended. */
const LATE_MS = 10_000
/** Longest time for which an alert is on display without a word of the server. */
const MAX_MS = 60_000

interface Props {
  alerts: readonly ListedAlert[]
  onClose: (callId: string) => void
}

/** Calls that wait for an answer, the oldest first, and missed ones. The oldest has the keys and the title. */
export function AlertList({ alerts, onClose }: Props) {
  const { t } = useText()
  const oldest = alerts.find(({ isMissed }) => !isMissed)
  const title = oldest && t('call.alert', { name: oldest.from.nickname })
  useEffect(() => {
    setTitleNotice(title)
    return () => setTitleNotice(undefined)
  }, [title])
  return (
    <div className="call-alerts">
      {alerts.map((alert) => {
        const close = () => onClose(alert.callId)
        return alert.isMissed ? (
          <MissedCall key={alert.callId} alert={alert} close={close} />
        ) : (
          <WaitingCall key={alert.callId} alert={alert} hasKeys={alert === oldest} close={close} />
        )
      })}
    </div>
  )
}

function WaitingCall({ alert, hasKeys, close }: { alert: CallAlert; hasKeys: boolean; close: () => void }) {
  const { roomId, callId, from, until } = alert
  const { t } = useText()
  const [, go] = useLocation()
  const room = useDirects()?.find((direct) => direct.id === roomId)
  const others = room?.people?.filter((person) => person.id !== from.userId) ?? []
  const title = t('call.alert', { name: from.nickname })
  useEffect(() => {
    const leftMs = Date.parse(until) - Date.now()
    const timer = setTimeout(close, leftMs > 0 ? Math.min(leftMs + LATE_MS, MAX_MS) : MAX_MS)
    return () => clearTimeout(timer)
  }, [callId])
  const answer = () => {
    close()
    go(`/rooms/${roomId}`)
    joinCall(room ?? { id: roomId, name: from.nickname }).catch(() => showError(t('page.error')))
  }
  const decline = () => {
    close()
    // It has ended meanwhile.
    call('declineCall', { params: { id: roomId }, body: { callId } }).catch(() => {})
  }
  useAlertSound(roomId, title, answer)
  useAlertKeys(hasKeys, { answer, decline })
  return (
    <Card from={from} title={title} names={others.map(({ nickname }) => nickname)}>
      <AlertButton shortcut="decline" label={t('call.decline')} hasKeys={hasKeys} onClick={decline}>
        <IconPhoneOff size={18} aria-hidden />
      </AlertButton>
      <AlertButton shortcut="answer" label={t('call.answer')} hasKeys={hasKeys} onClick={answer}>
        <IconPhone size={18} aria-hidden />
      </AlertButton>
    </Card>
  )
}

/** Stays until the user has seen it. */
function MissedCall({ alert: { roomId, from }, close }: { alert: CallAlert; close: () => void }) {
  const { t } = useText()
  return (
    <Card from={from} title={t('room.missedCall', { name: from.nickname })} names={[]}>
      <Button variant="default" onClick={close}>
        {t('call.close')}
      </Button>
      <Button component={Link} href={`/rooms/${roomId}`} onClick={close}>
        {t('call.open')}
      </Button>
    </Card>
  )
}

interface CardProps {
  from: CallAlert['from']
  title: string
  /** Further people of the conversation. */
  names: readonly string[]
  children: ReactNode
}

function Card({ from, title, names, children }: CardProps) {
  const { t, list } = useText()
  const id = useId()
  return (
    <section className="call-alert" role="dialog" aria-labelledby={id}>
      <UserAvatar of={from} size={44} />
      <div className="call-alert-text" role="alert">
        <strong id={id}>{title}</strong>
        {names.length > 0 && <span>{t('call.alertWith', { names: list(names) })}</span>}
      </div>
      <div className="call-alert-buttons">{children}</div>
    </section>
  )
}

function AlertButton({
  shortcut,
  label,
  hasKeys,
  onClick,
  children,
}: {
  shortcut: Shortcut
  label: string
  hasKeys: boolean
  onClick: () => void
  children: ReactNode
}) {
  return (
    <Button
      className={`call-${shortcut}`}
      leftSection={children}
      onClick={onClick}
      {...(hasKeys && {
        'data-tooltip': `${label} (${shortcutText(shortcut)})`,
        'aria-keyshortcuts': ariaKeys(shortcut),
      })}
    >
      {label}
    </Button>
  )
}

function useAlertKeys(isEnabled: boolean, actions: Readonly<Record<'answer' | 'decline', () => void>>): void {
  useEffect(() => {
    if (!isEnabled) return undefined
    const onKeyDown = (event: KeyboardEvent) => {
      const shortcut = shortcutOf(event)
      if (shortcut !== 'answer' && shortcut !== 'decline') return
      event.preventDefault()
      if (!event.repeat) actions[shortcut]()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  })
}
