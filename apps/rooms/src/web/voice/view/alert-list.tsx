import { Button } from '@mantine/core'
import { IconPhone } from '@latchkey/web/icons'
import { showError } from '@latchkey/web/toast'
import { type ReactNode, useEffect, useId } from 'react'
import { useLocation } from 'wouter'
import { call } from '../../call.ts'
import type { CallAlert } from '../../live/frames.ts'
import { UserAvatar } from '../../parts/person.tsx'
import { useFollowedRooms } from '../../sidebar/lobby.ts'
import { useText } from '../../texts/text.ts'
import { joinCall } from '../current-call.ts'
import { IconPhoneOff } from './icons.ts'
import { type Shortcut, ariaKeys, shortcutOf, shortcutText } from './shortcuts.ts'
import { useAlertSound } from './use-alert-sound.ts'

/** Longest time for which an alert is on display, should the server say nothing of its end. */
const MAX_MS = 60_000

interface Props {
  alerts: readonly CallAlert[]
  onEnd: (callId: string) => void
}

/** Calls that wait for an answer, the oldest first. The keys are for that one. */
export function AlertList({ alerts, onEnd }: Props) {
  return (
    <div className="call-alerts">
      {alerts.map((alert, index) => (
        <Alert key={alert.callId} alert={alert} hasKeys={index === 0} onEnd={() => onEnd(alert.callId)} />
      ))}
    </div>
  )
}

function Alert({ alert, hasKeys, onEnd }: { alert: CallAlert; hasKeys: boolean; onEnd: () => void }) {
  const { roomId, callId, from, until } = alert
  const { t, list } = useText()
  const [, go] = useLocation()
  const id = useId()
  const room = useFollowedRooms()?.find((followed) => followed.id === roomId)
  const others = room?.people?.filter((person) => person.id !== from.userId) ?? []
  const title = t('call.alert', { name: from.nickname })
  useEffect(() => {
    const leftMs = Date.parse(until) - Date.now()
    const timer = setTimeout(onEnd, leftMs > 0 ? Math.min(leftMs, MAX_MS) : MAX_MS)
    return () => clearTimeout(timer)
  }, [callId])
  useTitle(title)
  const answer = () => {
    onEnd()
    go(`/rooms/${roomId}`)
    joinCall(room ?? { id: roomId, name: from.nickname }).catch(() => showError(t('page.error')))
  }
  const decline = () => {
    onEnd()
    // It has ended meanwhile.
    call('declineCall', { params: { id: roomId }, body: { callId } }).catch(() => {})
  }
  useAlertSound(roomId, title, answer)
  useAlertKeys(hasKeys, { answer, decline })
  return (
    <section className="call-alert" role="dialog" aria-labelledby={id}>
      <UserAvatar of={from} size={44} />
      <div className="call-alert-text" role="alert">
        <strong id={id}>{title}</strong>
        {others.length > 0 && (
          <span>{t('call.alertWith', { names: list(others.map(({ nickname }) => nickname)) })}</span>
        )}
      </div>
      <div className="call-alert-buttons">
        <AlertButton shortcut="decline" label={t('call.decline')} hasKeys={hasKeys} onClick={decline}>
          <IconPhoneOff size={18} aria-hidden />
        </AlertButton>
        <AlertButton shortcut="answer" label={t('call.answer')} hasKeys={hasKeys} onClick={answer}>
          <IconPhone size={18} aria-hidden />
        </AlertButton>
      </div>
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

/** The title of the tab says who is calling. */
function useTitle(title: string): void {
  useEffect(() => {
    const before = document.title
    document.title = title
    return () => {
      if (document.title === title) document.title = before
    }
  }, [title])
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
