import { foldText } from '@latchkey/http/text'
import { skeleton } from './lookalikes.ts'

/** What is kept of a name: itself, what it is searched by, and what tells those that look the same. */
export function namesOf(nickname: string): { nickname: string; search_name: string; skeleton: string } {
  return { nickname, search_name: foldText(nickname), skeleton: skeleton(nickname) }
}
