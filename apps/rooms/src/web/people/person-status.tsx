import { VisuallyHidden } from '@mantine/core'
import { useEffect, useState } from 'react'
import { UserAvatar } from '../parts/person.tsx'
import { useText } from '../texts/text.ts'
import type { ListedPerson } from './use-people.ts'

/** The picture of a person, with a mark of whether they are present. */
export function PresenceAvatar({ person, size }: { person: ListedPerson; size: number }) {
  const { t } = useText()
  return (
    <span className="presence-avatar" data-present={person.present || undefined}>
      <UserAvatar of={person} size={size} />
      <VisuallyHidden>{t(person.present ? 'people.present' : 'people.absent')}</VisuallyHidden>
    </span>
  )
}

/** Emoji and text of the status, until it ends. */
export function PersonStatus({ status, isWhole }: { status: ListedPerson['status']; isWhole?: true }) {
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
