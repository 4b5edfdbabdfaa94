import { Notification, Portal } from '@mantine/core'
import { type NotificationData, notifications, useNotifications } from '@mantine/notifications'
import { useEffect, useState } from 'react'

const AUTO_CLOSE_MS = 4_000

interface Item {
  toast: NotificationData
  isLeaving: boolean
}

/**
 * The toasts of `notifications`, in a corner of the window. Mantine's own component can do more, in
 * eight times as much code. While the pointer or the focus is on one, none closes by itself.
 */
export function Toasts() {
  const { notifications: current } = useNotifications()
  const [{ previous, items }, setState] = useState({ previous: current, items: [] as readonly Item[] })
  const [isHeld, setHeld] = useState(false)
  if (previous !== current) setState({ previous: current, items: withLeaving(items, current) })
  const remove = (left: Item) =>
    setState((state) => ({ ...state, items: state.items.filter((item) => item !== left) }))
  const hold = { onMouseEnter: () => setHeld(true), onFocus: () => setHeld(true) }
  const release = { onMouseLeave: () => setHeld(false), onBlur: () => setHeld(false) }
  return (
    <Portal>
      {/* With the class of react-remove-scroll, which keeps it in place behind a dialog. */}
      <div className="toasts width-before-scroll-bar" {...hold} {...release}>
        {items.map((item) => (
          <div
            key={item.toast.id}
            className="toast"
            data-leaving={item.isLeaving || undefined}
            inert={item.isLeaving}
            onAnimationEnd={item.isLeaving ? () => remove(item) : undefined}
          >
            <Toast toast={item.toast} isHeld={isHeld || item.isLeaving} />
          </div>
        ))}
      </div>
    </Portal>
  )
}

/** Adds the closed toasts, which stay in their places until they have faded. */
function withLeaving(items: readonly Item[], current: readonly NotificationData[]): Item[] {
  const next = current.map((toast) => ({ toast, isLeaving: false }))
  for (const [index, { toast }] of items.entries())
    if (!current.some(({ id }) => id === toast.id)) next.splice(index, 0, { toast, isLeaving: true })
  return next
}

function Toast({ toast, isHeld }: { toast: NotificationData; isHeld: boolean }) {
  const { id = '', message, autoClose = AUTO_CLOSE_MS, onOpen, onClose: _, priority: __, ...props } = toast
  useEffect(() => onOpen?.(toast), [])
  useEffect(() => {
    if (isHeld || typeof autoClose !== 'number') return undefined
    const timer = setTimeout(() => notifications.hide(id), autoClose)
    return () => clearTimeout(timer)
  }, [id, autoClose, isHeld])
  return (
    <Notification {...props} onClose={() => notifications.hide(id)}>
      {message}
    </Notification>
  )
}
