import { dayAndTime } from '../../parts/time-zone.ts'
import { useText } from '../../texts/text.ts'
import { useLinkState } from '../link/use-link-state.ts'
import type { LinkRow } from './types.ts'

const DAY_MS = 86_400_000
const SOON_DAYS = 7

/** The state of a link that is not active, or soon will not be. Renders nothing for other links. */
export function StateNote({ link }: { link: LinkRow }) {
  const { t, language } = useText()
  const state = useLinkState(link)
  if (state !== 'active')
    return (
      <span className="state-note" data-state={state}>
        {t(`links.${state}`)}
      </span>
    )
  const leftMs = link.expires_at === null ? Infinity : link.expires_at * 1000 - Date.now()
  if (leftMs > SOON_DAYS * DAY_MS) return null
  const days = Math.floor(leftMs / DAY_MS)
  return (
    <span className="state-note" data-state="expiring" title={dayAndTime(link.expires_at ?? 0, language)}>
      {days === 0 ? t('links.expiresToday') : t('links.expiresIn', { count: days })}
    </span>
  )
}
