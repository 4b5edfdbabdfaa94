import { useDraft } from '@latchkey/web/draft-storage'
import { useSession } from './session.ts'

/** Draft of a field, stored for the signed-in user. */
export function useUserDraft(name: string) {
  return useDraft(useSession().data?.user.id ?? '', name)
}
