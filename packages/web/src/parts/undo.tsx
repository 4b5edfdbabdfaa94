import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import type { Ref } from 'react'
import type { Translate } from '../texts.ts'

const UNDO_FOR_MS = 8000

/**
 * Destructive work that may be taken back for 8 s from when its toast is shown, longer while that is hovered or focused.
 * Its button takes a focus of the keyboard that is nowhere, as after a button that went with what it was pressed for.
 * `act` runs when the toast closes, or when the page is left (its calls must be `keepalive` for that); `undo` when it was
 * taken back.
 */
export function withUndo(t: Translate, text: string, work: { act: () => void; undo: () => void }): void {
  let left = UNDO_FOR_MS
  let started = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let settled = false
  let button: HTMLButtonElement | null = null
  const settle = (how: () => void) => {
    if (settled) return
    settled = true
    // The toast goes, and with it would the focus.
    if (holders.has('focus')) document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
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
      focusIfLost(button)
    },
    onClose: leave,
    onMouseEnter: hold('pointer'),
    onMouseLeave: release('pointer'),
    onFocus: hold('focus'),
    onBlur: release('focus'),
    closeButtonProps: { 'aria-label': t('shell.close') },
    message: (
      <Message
        t={t}
        text={text}
        onUndo={() => settle(work.undo)}
        ref={(shown) => {
          button = shown
        }}
      />
    ),
  })
}

/** Not after a click: who uses no keys would hold the toast for ever without knowing. */
function focusIfLost(button: HTMLButtonElement | null): void {
  if (!button || document.activeElement !== document.body) return
  button.focus({ preventScroll: true })
  if (!button.matches(':focus-visible')) button.blur()
}

interface Props {
  t: Translate
  text: string
  onUndo: () => void
  ref: Ref<HTMLButtonElement>
}

function Message({ t, text, onUndo, ref }: Props) {
  return (
    <Group justify="space-between" wrap="nowrap">
      <Text size="sm" lineClamp={4} style={{ overflowWrap: 'anywhere' }}>
        {text}
      </Text>
      <Button ref={ref} size="compact-sm" variant="light" flex="none" onClick={onUndo}>
        {t('undo.undo')}
      </Button>
    </Group>
  )
}
