import { Button } from '@mantine/core'
import { memo } from 'react'
import { type Draft, type Unsent, isTransient } from '../../../live/outbox.ts'
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
  onEditUnsent: (draft: Draft) => void
}

/** Message that the server has not stored yet, in the place that it will have. */
export const UnsentRow = memo(function UnsentRow({ unsent, user, store, names, onEditUnsent }: Props) {
  const { t } = useText()
  const { content, files = [], problem } = unsent
  const refusal = problem && !isTransient(problem.error) ? problem.error : undefined
  const actions = problem && <Actions unsent={unsent} store={store} onEditUnsent={onEditUnsent} />
  return (
    <li className="message message-unsent">
      <UserAvatar of={user} size={36} />
      <div className="message-body">
        <div className="byline">
          <bdi className="author">{user.nickname}</bdi>
          {refusal === undefined && (
            <span className="message-time-sent">{t(problem ? 'room.waiting' : 'room.sending')}</span>
          )}
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
          {refusal !== undefined && (
            <div className="message-problem">
              <span>
                {t('room.notSent')}: <Refusal error={refusal} />
              </span>
              {actions}
            </div>
          )}
        </div>
        {refusal === undefined && actions && <div className="message-problem">{actions}</div>}
      </div>
    </li>
  )
})

/** What the user can do about a message that was not sent. */
function Actions({ unsent, store, onEditUnsent }: Omit<Props, 'user' | 'names'>) {
  const { t } = useText()
  const { clientId } = unsent
  const editUnsent = () => {
    store.discard(clientId)
    onEditUnsent(unsent)
  }
  return (
    <>
      <Button size="compact-xs" variant="default" onClick={() => store.retry(clientId)}>
        {t('room.retry')}
      </Button>
      <Button size="compact-xs" variant="default" onClick={editUnsent}>
        {t('room.editUnsent')}
      </Button>
      <Button size="compact-xs" variant="default" onClick={() => store.discard(clientId)}>
        {t('room.discard')}
      </Button>
    </>
  )
}
