import { showError } from '@latchkey/web/toast'
import { useMutation } from '@tanstack/react-query'
import { call } from '../call.ts'
import { invalidate } from '../queries.ts'
import { useText } from '../texts/text.ts'

/** Makes the user a member of a public or unlisted room. */
export function useJoin(roomId: string, onJoined?: () => void) {
  const { failure } = useText()
  return useMutation({
    mutationFn: () => call('becomeMember', { params: { id: roomId } }),
    onSuccess: () => onJoined?.(),
    onError: (error) => showError(failure(error)),
    onSettled: () => invalidate('room', 'rooms', 'members'),
  })
}
