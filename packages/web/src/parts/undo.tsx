import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import type { Say } from '../texts.ts'

const UNDO_FOR_MS = 8000

/**
 * Destructive work that may be taken back for 8 s from when its toast is shown, longer while that is hovered or focused.
 * `act` runs when the toast closes, or when the page is left (its calls must be `keepalive` for that); `undo` when it was
 * taken back.
 */
export function withUndo(say: Say, text: string, work: { act: () => void; undo: () => void }): void {
  let left = UNDO_FOR_MS
  let started = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let settled = false
  const settle = (how: () => void) => {
    if (settled) return
    settled = true
    clearTimeout(timer)
    removeEventListener('pagehide', leave)
    notifications.hide(id)
    how()
  }
  const leave = () => settle(work.act)
  const holders = new Set<'pointer' | 'focus'>()
  const hold = (holder: 'pointer' | 'focus') => () => {
    holders.add(holder)
    if (timer === undefined) return
    clearTimeout(timer)
    timer = undefined
    left -= performance.now() - started
  }
  const run = () => {
    clearTimeout(timer)
    started = performance.now()
    timer = setTimeout(leave, left)
  }
  // The pointer may come and go while the focus stays, and the other way round.
  const release = (holder: 'pointer' | 'focus') => () => {
    holders.delete(holder)
    if (holders.size === 0) run()
  }
  addEventListener('pagehide', leave)
  const id = notifications.show({
    // Only so many are shown at once: before what stays until it is closed, since this one's time runs.
    priority: 1,
    autoClose: false,
    onOpen() {
      if (timer === undefined && holders.size === 0) run()
    },
    onClose: leave,
    onMouseEnter: hold('pointer'),
    onMouseLeave: release('pointer'),
    onFocus: hold('focus'),
    onBlur: release('focus'),
    closeButtonProps: { 'aria-label': say('shell.close') },
    message: (
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm" lineClamp={4} style={{ overflowWrap: 'anywhere' }}>
          {text}
        </Text>
        <Button size="compact-sm" variant="light" flex="none" onClick={() => settle(work.undo)}>
          {say('undo.undo')}
        </Button>
      </Group>
    ),
  })
}
