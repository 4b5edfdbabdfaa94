import { Button } from '@mantine/core'
import { Notice } from '@latchkey/web/parts/notice'
import { useEffect, useState, useSyncExternalStore } from 'react'
import type { Message } from '../../live/frames.ts'
import type { RoomStore } from '../../live/room-store.ts'
import { MessageText } from '../../markdown/message-text.tsx'
import { LoadingOrError } from '../../parts/loading-or-error.tsx'
import type { User } from '../../session.ts'
import { useText } from '../../texts/text.ts'
import { MessageFiles } from './conversation/message-files.tsx'

interface Props {
  user: User
  store: RoomStore
  onOpen: (messageId: string) => void
}

/** The pinned messages, last pinned first. */
export function Pins({ user, store, onOpen }: Props) {
  const { t } = useText()
  const { pins, phase } = useSyncExternalStore(store.watch, store.state)
  const [error, setError] = useState<Error | null>(null)
  const isMissing = pins === undefined && phase === 'in'
  const read = () => {
    setError(null)
    store.history.readPins().catch((failure: unknown) => setError(failure as Error))
  }
  useEffect(() => {
    if (isMissing) read()
  }, [isMissing])
  if (!pins) return <LoadingOrError error={error} onRetry={read} />
  if (pins.length === 0) return <Notice title={t('room.noPins')} help={t('room.noPinsHelp')} />
  return (
    <ul className="plain">
      {pins.map((message) => (
        <Pin key={message.id} message={message} user={user} onOpen={onOpen} />
      ))}
    </ul>
  )
}

function Pin({ message, user, onOpen }: { message: Message; user: User; onOpen: Props['onOpen'] }) {
  const { t, moment } = useText()
  const { id, nickname, createdAt, content, mentions, groupMention, files } = message
  return (
    <li className="pin">
      <div className="byline">
        <bdi className="author">{nickname}</bdi>
        <time dateTime={createdAt}>{moment(createdAt)}</time>
      </div>
      <div className="message-text pin-text">
        <MessageText
          content={content ?? ''}
          names={new Map(mentions.map((mention) => [mention.userId, mention.nickname]))}
          group={groupMention}
          selfId={user.id}
          hasLinks={!message.guest}
          tabIndex={0}
        />
      </div>
      {files.length > 0 && <MessageFiles files={files} tabIndex={0} />}
      <Button size="compact-xs" variant="default" onClick={() => onOpen(id)}>
        {t('room.showMessage')}
      </Button>
    </li>
  )
}
