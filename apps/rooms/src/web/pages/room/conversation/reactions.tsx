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
  return (
    <div className="reactions">
      {message.reactions.map((reaction) => (
        <Reaction
          key={reaction.emoji}
          message={message}
          reaction={reaction}
          tabIndex={tabIndex}
          onReact={onReact}
        />
      ))}
    </div>
  )
})

function Reaction({
  message,
  reaction: { emoji, count, mine },
  tabIndex,
  onReact,
}: Props & { reaction: Message['reactions'][number] }) {
  const { t, number } = useText()
  const [isNamed, setNamed] = useState(false)
  const names = useReactionNames(message, { emoji, count }, isNamed)
  const showNames = () => setNamed(true)
  return (
    <UnstyledButton
      className="reaction"
      tabIndex={tabIndex}
      aria-pressed={mine}
      aria-label={t('room.reactions', { emoji, count })}
      data-tooltip={names}
      onPointerEnter={showNames}
      onFocus={showNames}
      onClick={() => onReact(message, emoji, !mine)}
    >
      <span aria-hidden>{emoji}</span>
      <span className="figure" aria-hidden>
        {number(count)}
      </span>
    </UnstyledButton>
  )
}

const MAX_NAMES = 20

/** Names of those who have reacted, read when the user points at the reaction. */
function useReactionNames(
  { id, roomId }: Message,
  { emoji, count }: { emoji: string; count: number },
  isNamed: boolean,
): string | undefined {
  const { list } = useText()
  const input = { params: { id: roomId, messageId: id }, query: { emoji, limit: MAX_NAMES } }
  const { data } = useCall('reactions', 'listReactions', input, isNamed)
  useEffect(() => {
    if (isNamed) void invalidate('reactions')
  }, [isNamed, count])
  const users = data?.reactions[0]?.users ?? []
  return users.length === 0 ? undefined : list(users.map(({ nickname }) => nickname))
}
