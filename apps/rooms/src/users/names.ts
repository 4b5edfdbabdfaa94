import { foldText } from '@latchkey/http/fold'
import { skeleton } from './lookalikes.ts'

/**
 * Stored forms of a nickname: the name, its folded form for searches, and its skeleton for
 * look-alikes.
 */
export function namesOf(nickname: string): { nickname: string; search_name: string; skeleton: string } {
  return { nickname, search_name: foldText(nickname), skeleton: skeleton(nickname) }
}
