import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { call } from '../../call.ts'
import { withUndo } from '../../parts/undo.tsx'
import { changed } from '../../queries.ts'
import { useText } from '../../texts/text.ts'

interface Props {
  ids: readonly number[]
  /** Takes rows out of sight while their deletion may still be undone. */
  setHidden: (change: (before: readonly number[]) => readonly number[]) => void
  onDone: () => void
}

export function Bulk({ ids, setHidden, onDone }: Props) {
  const { say, failure } = useText()
  const each = async (id: 'disableLink' | 'enableLink' | 'deleteLink') => {
    const results = await Promise.allSettled(
      ids.map((link) => call(id, { params: { id: link } }, { keepalive: true })),
    )
    for (const text of new Set(results.flatMap((r) => (r.status === 'rejected' ? [failure(r.reason)] : []))))
      notifications.show({ color: 'red', message: text, withCloseButton: false })
    await changed('links', 'totals')
  }
  const show = () => setHidden((before) => before.filter((id) => !ids.includes(id)))
  const remove = () => {
    setHidden((before) => [...before, ...ids])
    onDone()
    withUndo(say, say('undo.deleted', { count: ids.length }), {
      act: () => void each('deleteLink').finally(show),
      undo: show,
    })
  }
  return (
    <Group gap="xs">
      <Text size="sm" fw={550}>
        {say('links.selected', { count: ids.length })}
      </Text>
      <Button size="compact-sm" variant="default" onClick={() => void each('disableLink')}>
        {say('links.disable')}
      </Button>
      <Button size="compact-sm" variant="default" onClick={() => void each('enableLink')}>
        {say('links.enable')}
      </Button>
      <Button size="compact-sm" variant="light" color="red" onClick={remove}>
        {say('links.delete')}
      </Button>
    </Group>
  )
}
