import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import type { Ref } from 'react'
import type { Translate } from '../texts.ts'

const UNDO_FOR_MS = 8000

/**
 * Delays destructive work until 8 s after its toast is shown, longer while the toast is hovered or
 * focused. Until then the toast offers to undo it. The undo button takes the keyboard focus if it
 * was lost, such as with a button that disappeared together with its item. `act` runs when the
 * toast closes or the page is left (its calls must be `keepalive` for that), `undo` when the person
 * clicks undo.
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
    // The focus would disappear together with the toast.
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
  // The pointer may come and go while the focus stays, and vice versa.
  const release = (holder: 'pointer' | 'focus') => () => {
    holders.delete(holder)
    if (holders.size === 0) run()
  }
  addEventListener('pagehide', leave)
  const id = notifications.show({
    // The number of toasts on display is limited. This one comes before toasts that stay until
    // closed, because its time runs.
    priority: 1,
    autoClose: false,
    onOpen() {
      if (timer === undefined && holders.size === 0) run()
      // The button that started the work may be about to disappear.
      setTimeout(() => focusIfLost(button))
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
        ref={(element) => {
          button = element
        }}
      />
    ),
  })
}

/**
 * Not after a click: a person who does not use the keyboard would hold the toast forever without
 * knowing.
 */
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
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {text}
      </Text>
      <Button ref={ref} size="compact-sm" variant="light" flex="none" onClick={onUndo}>
        {t('undo.undo')}
      </Button>
    </Group>
  )
}
