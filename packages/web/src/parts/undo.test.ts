import { afterEach, beforeEach, expect, jest, test } from 'bun:test'
import { notifications, notificationsStore } from '@mantine/notifications'
import { withUndo } from './undo.tsx'

const done: string[] = []

beforeEach(() => void jest.useFakeTimers())
afterEach(() => {
  jest.useRealTimers()
  notifications.clean()
  done.length = 0
})

const begin = () =>
  withUndo(String, 'Deleted', { act: () => void done.push('act'), undo: () => void done.push('undo') })

/** Shows the toast and returns a function that calls its listeners. */
function show() {
  begin()
  const toast = notificationsStore.getState().notifications.at(-1)
  toast?.onOpen?.(toast)
  return (name: 'onMouseEnter' | 'onMouseLeave' | 'onFocus' | 'onBlur') => toast?.[name]?.({} as never)
}

test('undoable work runs once, after eight seconds', () => {
  show()
  jest.advanceTimersByTime(7_900)
  expect(done).toEqual([])
  jest.advanceTimersByTime(60_000)
  expect(done).toEqual(['act'])
})

for (const [stays, comesAndGoes] of [
  ['onFocus', ['onMouseEnter', 'onMouseLeave']],
  ['onMouseEnter', ['onFocus', 'onBlur']],
] as const)
  test(`it waits from ${stays} on, despite other holders that come and go`, () => {
    const happens = show()
    happens(stays)
    for (const event of comesAndGoes) happens(event)
    jest.advanceTimersByTime(60_000)
    expect(done).toEqual([])
    happens(stays === 'onFocus' ? 'onBlur' : 'onMouseLeave')
    jest.advanceTimersByTime(8_000)
    expect(done).toEqual(['act'])
  })

test('it is shown before toasts that stay until closed, and its time begins when it is shown', () => {
  for (let others = 0; others < 5; others++) notifications.show({ message: 'Stays', autoClose: false })
  for (let more = 0; more < 6; more++) begin()
  const { notifications: visible, queue } = notificationsStore.getState()
  expect(visible.map(({ message }) => message === 'Stays')).toEqual([false, false, false, false, false])
  for (const toast of visible) toast.onOpen?.(toast)
  jest.advanceTimersByTime(60_000)
  expect(done).toHaveLength(5)
  const [last] = notificationsStore.getState().notifications
  expect(last).toBe(queue[0])
  last?.onOpen?.(last)
  jest.advanceTimersByTime(8_000)
  expect(done).toHaveLength(6)
})
