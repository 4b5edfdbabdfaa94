import { UnstyledButton, VisuallyHidden } from '@mantine/core'
import { IconArrowBackUp } from '@latchkey/web/icons'
import { memo } from 'react'
import type { Message } from '../../../live/frames.ts'
import { plainText } from '../../../markdown/plain-text.ts'
import { useText } from '../../../texts/text.ts'

interface Props {
  quotation: NonNullable<Message['replyTo']>
  tabIndex: 0 | -1
  onOpen: (messageId: string) => void
}

/** Beginning of the message that another one answers. Leads to it. */
export const Quotation = memo(function Quotation({ quotation, tabIndex, onOpen }: Props) {
  const { t } = useText()
  const { id, nickname, excerpt } = quotation
  const text = excerpt === null ? t('room.deleted') : plainText(excerpt)
  return (
    <UnstyledButton
      className="quotation"
      tabIndex={tabIndex}
      disabled={excerpt === null}
      onClick={() => onOpen(id)}
    >
      <IconArrowBackUp size={14} aria-hidden />
      <VisuallyHidden>{t('room.replyTo')} </VisuallyHidden>
      <bdi className="author">{nickname}</bdi>
      <bdi className="quotation-text">{text}</bdi>
    </UnstyledButton>
  )
})
