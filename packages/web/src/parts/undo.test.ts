import { afterEach, beforeEach, expect, jest, test } from 'bun:test'
import { notificationsStore } from '@mantine/notifications'
import { withUndo } from './undo.tsx'

const done: string[] = []

beforeEach(() => void jest.useFakeTimers())
afterEach(() => {
  jest.useRealTimers()
  done.length = 0
})

/** What the toast listens to. */
function show() {
  withUndo(String, 'Deleted', { act: () => void done.push('act'), undo: () => void done.push('undo') })
  const toast = notificationsStore.getState().notifications.at(-1)
  return (name: 'onMouseEnter' | 'onMouseLeave' | 'onFocus' | 'onBlur') => toast?.[name]?.({} as never)
}

test('what may be undone is carried out after eight seconds, once', () => {
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
  test(`it waits from ${stays} on, whatever comes and goes meanwhile`, () => {
    const happens = show()
    happens(stays)
    for (const event of comesAndGoes) happens(event)
    jest.advanceTimersByTime(60_000)
    expect(done).toEqual([])
    happens(stays === 'onFocus' ? 'onBlur' : 'onMouseLeave')
    jest.advanceTimersByTime(8_000)
    expect(done).toEqual(['act'])
  })
