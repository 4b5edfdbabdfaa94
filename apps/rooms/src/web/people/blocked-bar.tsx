import { Button } from '@mantine/core'
import { showError } from '@latchkey/web/toast'
import { useMutation } from '@tanstack/react-query'
import { call } from '../call.ts'
import { invalidate } from '../queries.ts'
import { useText } from '../texts/text.ts'

/** Above the field of a conversation with a person whom the user blocks. */
export default function BlockedBar({
  person: { id, nickname },
}: {
  person: { id: string; nickname: string }
}) {
  const { t, failure } = useText()
  const unblock = useMutation({
    mutationFn: () => call('unblockUser', { params: { userId: id } }),
    onSuccess: () => invalidate('session', 'rooms', 'people'),
    onError: (error) => showError(failure(error)),
  })
  return (
    <div className="join-bar">
      <span className="join-bar-text">{t('people.blocks', { name: nickname })}</span>
      <Button size="xs" variant="default" loading={unblock.isPending} onClick={() => unblock.mutate()}>
        {t('people.unblock')}
      </Button>
    </div>
  )
}
