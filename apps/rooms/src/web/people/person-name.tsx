import { useUser } from '../session.ts'
import { openCard } from './open-card.ts'

interface Props {
  userId: string | null
  nickname: string
  guest?: boolean
  className?: string
  tabIndex?: 0 | -1
}

/** A name whose press opens the card of the person. Guests have none, and see none. */
export function PersonName({ userId, nickname, guest = false, className, tabIndex }: Props) {
  const { identityType } = useUser()
  if (userId === null || guest || identityType === 'guest') return <bdi className={className}>{nickname}</bdi>
  return (
    <button
      type="button"
      className={`person-link ${className ?? ''}`}
      aria-haspopup="dialog"
      tabIndex={tabIndex}
      onClick={({ currentTarget: button }) => openCard({ userId, nickname, button })}
    >
      <bdi>{nickname}</bdi>
    </button>
  )
}
