import { UnstyledButton } from '@mantine/core'
import { memo, useEffect, useState } from 'react'
import type { Message } from '../../../live/frames.ts'
import { invalidate, useCall } from '../../../queries.ts'
import { useText } from '../../../texts/text.ts'

interface Props {
  message: Message
  tabIndex: 0 | -1
  onReact: (message: Message, emoji: string, isAdded: boolean) => void
}

/** Reactions to a message with their numbers. A press adds or takes back one's own. */
export const Reactions = memo(function Reactions({ message, tabIndex, onReact }: Props) {
  const { t, number } = useText()
  const [isNamed, setNamed] = useState(false)
  const names = useReactionNames(message, isNamed)
  const showNames = () => setNamed(true)
  return (
    <div className="reactions" onPointerEnter={showNames} onFocus={showNames}>
      {message.reactions.map(({ emoji, count, mine }) => (
        <UnstyledButton
          key={emoji}
          className="reaction"
          tabIndex={tabIndex}
          aria-pressed={mine}
          aria-label={t('room.reactions', { emoji, count })}
          data-tooltip={names(emoji)}
          onClick={() => onReact(message, emoji, !mine)}
        >
          <span aria-hidden>{emoji}</span>
          <span className="figure" aria-hidden>
            {number(count)}
          </span>
        </UnstyledButton>
      ))}
    </div>
  )
})

const MAX_NAMES = 20

/** Names of those who have reacted, read when the user points at the reactions. */
function useReactionNames({ id, roomId, reactions }: Message, isNamed: boolean) {
  const { list } = useText()
  const { data } = useCall('reactions', 'listReactions', { params: { id: roomId, messageId: id } }, isNamed)
  const numbers = reactions.map(({ emoji, count }) => `${emoji}${count}`).join()
  useEffect(() => {
    if (isNamed) void invalidate('reactions')
  }, [isNamed, numbers])
  return (emoji: string): string | undefined => {
    const users = data?.reactions.find((each) => each.emoji === emoji)?.users ?? []
    return users.length === 0 ? undefined : list(users.slice(0, MAX_NAMES).map(({ nickname }) => nickname))
  }
}
