import { useDraft } from '@latchkey/web/draft-storage'
import { useSession } from './session.ts'

/** What whoever is signed in types into a field, kept. */
export function useUserDraft(name: string) {
  return useDraft(useSession().data?.user.id ?? '', name)
}
