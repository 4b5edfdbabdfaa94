import type { Message } from '../../../live/frames.ts'
import { plainText } from '../../../markdown/plain-text.ts'

/** A message in one line: its text, or the names of its files. */
export function messageLine({
  content,
  mentions,
  files,
}: Pick<Message, 'content' | 'mentions' | 'files'>): string {
  const names = new Map(mentions.map(({ userId, nickname }) => [userId, nickname]))
  return plainText(content ?? '', (userId) => names.get(userId)) || files.map(({ name }) => name).join(', ')
}
