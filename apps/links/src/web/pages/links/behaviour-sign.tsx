import { IconArrowsSplit, IconLock } from '@latchkey/web/icons'
import { useText } from '../../texts/text.ts'
import type { ListedLink } from './types.ts'

/** Shows that a link does more than to lead to its URL. Renders nothing for other links. */
export function BehaviourSign({ parts = [] }: { parts: ListedLink['behaviour'] }) {
  const { t, language } = useText()
  if (parts.length === 0) return null
  const names = parts.map((part) => t(`links.part.${part}`))
  const name = t('links.with', { parts: new Intl.ListFormat(language).format(names) })
  return (
    <span className="behaviour-sign" role="img" aria-label={name} title={name}>
      {parts.some((part) => part !== 'password') && <IconArrowsSplit size={14} aria-hidden />}
      {parts.includes('password') && <IconLock size={14} aria-hidden />}
    </span>
  )
}
