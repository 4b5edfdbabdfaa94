import { useKept } from '@latchkey/web/kept'
import { useSession } from './session.ts'

/** What whoever is signed in types into a field, kept. */
export function useKeptText(name: string) {
  return useKept(useSession().data?.user.id ?? '', name)
}
