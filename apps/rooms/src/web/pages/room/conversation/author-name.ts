import type { Message } from '../../../live/frames.ts'
import { useText } from '../../../texts/text.ts'

/**
 * Name of the author of a message. A deleted account is labelled as such, and the rest of its name
 * distinguishes it from others.
 */
export function useAuthorName({ userId, nickname }: Pick<Message, 'userId' | 'nickname'>): string {
  const { t } = useText()
  return userId === null ? t('person.gone', { name: nickname }) : nickname
}
