import { useMutation } from '@tanstack/react-query'
import { clearDrafts } from '@latchkey/web/draft-storage'
import { loginPath } from '../addresses.ts'
import { call } from '../call.ts'
import { withoutConnection } from '../live/live.ts'

/**
 * Sign-out from this session or from all. A provider that supports sign-out asks the user itself
 * (R12.2).
 */
export function useSignOut(onError?: (error: Error) => void) {
  return useMutation({
    mutationFn: (body: { everywhere?: true }) => withoutConnection(() => call('logout', { body })),
    onSuccess({ logoutUrl }) {
      clearDrafts()
      location.assign(logoutUrl ?? loginPath('/', { ended: 'signed_out' }))
    },
    ...(onError && { onError }),
  })
}
