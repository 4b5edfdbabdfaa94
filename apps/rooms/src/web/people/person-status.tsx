import { VisuallyHidden } from '@mantine/core'
import { useEffect, useState } from 'react'
import { type Pictured, UserAvatar } from '../parts/person.tsx'
import { useText } from '../texts/text.ts'
import type { ListedPerson } from './use-people.ts'

interface PresenceProps {
  /** Undefined as long as it is not known whether they are present. */
  person: ListedPerson | undefined
  of?: Pictured | undefined
  size: number
}

/** The picture of a person, with a mark of whether they are present. */
export function PresenceAvatar({ person, of = person, size }: PresenceProps) {
  const { t } = useText()
  const picture = of && <UserAvatar of={person ?? of} size={size} />
  if (!person) return picture
  return (
    <span className="presence-avatar" data-present={person.present || undefined}>
      {picture}
      <VisuallyHidden>{t(person.present ? 'person.present' : 'person.absent')}</VisuallyHidden>
    </span>
  )
}

type Status = ListedPerson['status'] | undefined

/** The emoji of the status, until it ends, where there is no place for its text. */
export function StatusEmoji({ status }: { status: Status }) {
  const hasEnded = useEnded(status?.until ?? null)
  if (!status || hasEnded) return null
  const { emoji, text } = status
  return (
    <span className="status-emoji" {...(text !== null && { title: text })}>
      <span aria-hidden>{emoji ?? '💬'}</span>
      <VisuallyHidden>{text ?? emoji}</VisuallyHidden>
    </span>
  )
}

/** Emoji and text of the status, until it ends. */
export function PersonStatus({ status, isWhole }: { status: Status; isWhole?: true }) {
  const { t, moment } = useText()
  const hasEnded = useEnded(status?.until ?? null)
  if (!status || hasEnded) return null
  return (
    <span className="person-status">
      {status.emoji} <bdi>{status.text}</bdi>
      {isWhole && status.until !== null && (
        <span className="person-status-end"> {t('people.until', { when: moment(status.until) })}</span>
      )}
    </span>
  )
}

/** The longest delay of a timer. */
const MAX_DELAY_MS = 2 ** 31 - 1

function useEnded(until: string | null): boolean {
  const [, render] = useState(0)
  const leftMs = until === null ? Infinity : Date.parse(until) - Date.now()
  useEffect(() => {
    if (leftMs <= 0 || leftMs > MAX_DELAY_MS) return undefined
    const timer = setTimeout(() => render((count) => count + 1), leftMs)
    return () => clearTimeout(timer)
  }, [leftMs])
  return leftMs <= 0
}
