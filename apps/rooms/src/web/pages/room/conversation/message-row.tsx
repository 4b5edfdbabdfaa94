import { MINUTE_MS } from '@latchkey/http/duration'
import { IconPin } from '@latchkey/web/icons'
import { memo, useState } from 'react'
import { guestSince } from '../../../../guests/guest-id.ts'
import type { Message } from '../../../live/frames.ts'
import { MessageText } from '../../../markdown/message-text.tsx'
import { PersonName } from '../../../people/person-name.tsx'
import { GuestBadge, UserAvatar } from '../../../parts/person.tsx'
import { useText } from '../../../texts/text.ts'
import { useAuthorName } from './author-name.ts'
import { MessageEditor } from './message-editor.tsx'
import { MessageFiles } from './message-files.tsx'
import { MessageToolbar } from './message-toolbar.tsx'
import { Quotation } from './quotation.tsx'
import { Reactions } from './reactions.tsx'
import type { MessageActions } from './use-message-actions.ts'

interface Props {
  message: Message
  /** True directly below another message of the same author. Name and time are then visually hidden. */
  continues: boolean
  /** Stable between renders, like everything here: a new one would render every row again. */
  actions: MessageActions
  /** True for the message that Tab reaches. The arrow keys lead to the others. */
  isTabStop: boolean
  /** True if the focus is in the message. Tab then reaches its links and its toolbar. */
  hasFocus: boolean
  /** True if the toolbar is visible. */
  isActive: boolean
  isEditing: boolean
  /** True for the message at which the address or a search result points. */
  isTarget: boolean
}

export const MessageRow = memo(function MessageRow(props: Props) {
  const [isShown, setShown] = useState(false)
  const { message, actions } = props
  const isFolded = !isShown && actions.blockedIds.includes(message.userId ?? '')
  return isFolded ? <FoldedRow {...props} onShow={() => setShown(true)} /> : <WholeRow {...props} />
})

/** The line in the place of a message by a person whom the reader blocks. */
function FoldedRow({ message, isTabStop, hasFocus, onShow }: Props & { onShow: () => void }) {
  const { t } = useText()
  return (
    <li className="message" data-row={message.id} tabIndex={isTabStop ? 0 : -1}>
      <span />
      <p className="message-deleted">
        {t('room.blocked')}{' '}
        <button type="button" className="person-link" tabIndex={hasFocus ? 0 : -1} onClick={onShow}>
          {t('room.showBlocked')}
        </button>
      </p>
    </li>
  )
}

function WholeRow({ message, continues, actions, ...state }: Props) {
  const { isTabStop, hasFocus, isActive, isEditing, isTarget } = state
  const tabIndex = hasFocus ? 0 : -1
  const { selfId } = actions
  const isMentioned =
    message.mentions.some(({ userId }) => userId === selfId) ||
    (message.groupMention !== null && message.userId !== selfId)
  return (
    <li
      className="message"
      data-row={message.id}
      data-message={message.id}
      data-continues={continues || undefined}
      data-reply={message.replyTo ? true : undefined}
      data-mentioned={isMentioned || undefined}
      data-target={isTarget || undefined}
      tabIndex={isTabStop ? 0 : -1}
    >
      <Gutter message={message} continues={continues} />
      <div className="message-body">
        {message.replyTo && (
          <Quotation quotation={message.replyTo} tabIndex={tabIndex} onOpen={actions.goTo} />
        )}
        <Byline message={message} isHidden={continues} showsRole={actions.showsRoles} tabIndex={tabIndex} />
        {isEditing ? (
          <MessageEditor message={message} actions={actions} />
        ) : (
          <Content message={message} actions={actions} tabIndex={tabIndex} isTarget={isTarget} />
        )}
        {message.files.length > 0 && <MessageFiles files={message.files} tabIndex={tabIndex} />}
        {message.reactions.length > 0 && (
          <Reactions message={message} tabIndex={tabIndex} onReact={actions.react} />
        )}
      </div>
      {isActive && !isEditing && <MessageToolbar message={message} actions={actions} tabIndex={tabIndex} />}
    </li>
  )
}

/** Picture of the author or, beside a message that continues another, its time under the pointer. */
function Gutter({ message, continues }: Pick<Props, 'message' | 'continues'>) {
  const { timeWithoutPeriod } = useText()
  if (!continues) return <UserAvatar of={message} size={36} />
  return (
    <span className="message-time" aria-hidden>
      {timeWithoutPeriod(message.createdAt)}
    </span>
  )
}

interface BylineProps {
  message: Message
  isHidden: boolean
  showsRole: boolean
  tabIndex: 0 | -1
}

function Byline({ message, isHidden, showsRole, tabIndex }: BylineProps) {
  const { t, time, moment } = useText()
  const { guest, authorRole, createdAt, pinned } = message
  const name = useAuthorName(message)
  const pin = pinned && (
    <span className="message-pinned">
      <IconPin size={12} aria-hidden /> {t('room.pinned')}
    </span>
  )
  if (isHidden)
    return (
      <>
        <span className="visually-hidden">
          {name} {time(createdAt)}
        </span>
        {pin}
      </>
    )
  return (
    <div className="byline">
      <PersonName
        userId={message.userId}
        nickname={name}
        guest={guest}
        className="author"
        tabIndex={tabIndex}
      />
      {guest && <GuestBadge />}
      {showsRole && (authorRole === 'owner' || authorRole === 'moderator') && (
        <span className="author-role">{t(`room.role.${authorRole}`)}</span>
      )}
      <time dateTime={createdAt} title={moment(createdAt)}>
        {time(createdAt)}
      </time>
      {pin}
    </div>
  )
}

interface ContentProps {
  message: Message
  actions: MessageActions
  tabIndex: 0 | -1
  isTarget: boolean
}

function Content({ message, actions, tabIndex, isTarget }: ContentProps) {
  const { t, moment } = useText()
  const { content, mentions, groupMention, editedAt } = message
  if (content === null) return <p className="message-deleted">{t('room.deleted')}</p>
  if (content === '' && editedAt === null) return null
  return (
    <div className="message-text">
      <MessageText
        content={content}
        names={new Map(mentions.map(({ userId, nickname }) => [userId, nickname]))}
        group={groupMention}
        selfId={actions.selfId}
        hasLinks={mayLink(message)}
        tabIndex={tabIndex}
        isWhole={isTarget}
        onFold={() => actions.keepInPlace(message.id)}
      />
      {editedAt !== null && (
        <small className="message-edited" title={moment(editedAt)}>
          {t('room.edited')}
        </small>
      )}
    </div>
  )
}

/**
 * Time after the arrival of a guest during which addresses in their messages are not links (R22).
 */
const LINKS_AFTER_MS = 5 * MINUTE_MS

function mayLink({ guest, userId, createdAt }: Message): boolean {
  const since = guestSince(userId ?? '')
  return !guest || (since !== undefined && Date.parse(createdAt) - since >= LINKS_AFTER_MS)
}
