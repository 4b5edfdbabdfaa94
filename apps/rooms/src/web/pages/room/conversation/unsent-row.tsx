import { Button } from '@mantine/core'
import { memo } from 'react'
import type { Draft, Unsent } from '../../../live/outbox.ts'
import type { RoomStore } from '../../../live/room-store.ts'
import { MessageText } from '../../../markdown/message-text.tsx'
import { UserAvatar } from '../../../parts/person.tsx'
import { Refusal } from '../../../parts/refusal.tsx'
import type { User } from '../../../session.ts'
import { useText } from '../../../texts/text.ts'
import { MessageFiles } from './message-files.tsx'

interface Props {
  unsent: Unsent
  user: User
  store: RoomStore
  /** Names of the people whom it may mention. */
  names: ReadonlyMap<string, string>
  onTakeBack: (draft: Draft) => void
}

/** Message that the server has not stored yet, in the place that it will have. */
export const UnsentRow = memo(function UnsentRow({ unsent, user, store, names, onTakeBack }: Props) {
  const { t } = useText()
  const { content, files = [], problem } = unsent
  return (
    <li className="message message-unsent">
      <UserAvatar nickname={user.nickname} avatarColor={user.avatarColor} size={36} />
      <div className="message-body">
        <div className="byline">
          <bdi className="author">{user.nickname}</bdi>
          {!problem && <span className="message-time-sent">{t('room.sending')}</span>}
        </div>
        <div className="message-text">
          <MessageText
            content={content}
            names={names}
            group={null}
            selfId={user.id}
            hasLinks={false}
            tabIndex={-1}
          />
        </div>
        {files.length > 0 && <MessageFiles files={files} tabIndex={-1} />}
        <div role="alert">
          {problem && <Problem unsent={unsent} error={problem.error} store={store} onTakeBack={onTakeBack} />}
        </div>
      </div>
    </li>
  )
})

/** Why a message was not sent, and what can be done about it. */
function Problem({ unsent, error, store, onTakeBack }: Omit<Props, 'user' | 'names'> & { error: unknown }) {
  const { t } = useText()
  const { clientId } = unsent
  const takeBack = () => {
    store.discard(clientId)
    onTakeBack(unsent)
  }
  return (
    <div className="message-problem">
      <span>
        {t('room.notSent')}: <Refusal error={error} />
      </span>
      <Button size="compact-xs" variant="default" onClick={() => store.retry(clientId)}>
        {t('room.retry')}
      </Button>
      <Button size="compact-xs" variant="default" onClick={takeBack}>
        {t('room.takeBack')}
      </Button>
      <Button size="compact-xs" variant="default" onClick={() => store.discard(clientId)}>
        {t('room.discard')}
      </Button>
    </div>
  )
}
