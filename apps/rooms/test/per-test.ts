import { afterEach } from 'bun:test'
import { type TestOptions, type TestRooms, openRooms } from './rooms.ts'

/**
 * For the calling file: opens services that are closed after the test that opened them, the last
 * one first.
 */
export function roomsPerTest() {
  const open: { close(): Promise<void> }[] = []
  afterEach(async () => {
    for (const opened of open.splice(0).toReversed()) await opened.close()
  })
  return {
    rooms: async (options: TestOptions = {}): Promise<TestRooms> => {
      const opened = await openRooms(options)
      open.push(opened)
      return opened
    },
    nodeOf: async (service: TestRooms): Promise<TestRooms> => {
      const opened = await service.node()
      open.push(opened)
      return opened
    },
    /** Registers another resource to close, before those that were opened earlier. */
    alsoClose: (close: () => Promise<void>) => void open.push({ close }),
  }
}
