import { Button } from '@mantine/core'
import { useJoin } from '../../parts/use-join.ts'
import { useText } from '../../texts/text.ts'
import type { Room } from './room.ts'

/** What visitors of a room see above the field: they read and write, and are no members. */
export function JoinBar({ room }: { room: Room }) {
  const { t } = useText()
  const { mutate, isPending } = useJoin(room.id, () => document.querySelector<HTMLElement>('#write')?.focus())
  return (
    <div className="join-bar">
      <span className="join-bar-text">{t('room.lookingAt', { room: room.name })}</span>
      <Button size="xs" loading={isPending} onClick={() => mutate()}>
        {t('room.join')}
      </Button>
    </div>
  )
}
