import { expect } from 'bun:test'
import type { TestUser } from '../actions.ts'
import type { Browser, TestRooms } from '../rooms.ts'
import { until } from '../until.ts'
import type { Frame, Live, LiveSocket } from './live.ts'

export type Presence = Frame & { joined: { userId: string }[]; left: string[]; count: number }

export function presenceFrames({ frames }: LiveSocket): Presence[] {
  return frames.filter((frame): frame is Presence => frame.type === 'presence')
}

/** The user ids that a client derives from the frames, sorted. */
export function participantsOf(socket: LiveSocket): string[] {
  const present = new Set<string>()
  for (const frame of socket.frames) {
    if (frame.type === 'subscribed')
      for (const { userId } of frame['present'] as { userId: string }[]) present.add(userId)
    if (frame.type !== 'presence') continue
    for (const { userId } of (frame as Presence).joined) present.add(userId)
    for (const userId of (frame as Presence).left) present.delete(userId)
  }
  return [...present].toSorted()
}

/** Connects a user and subscribes to the room. */
export async function enterRoom(
  live: Live,
  { browser }: { browser: Browser },
  roomId: string,
): Promise<LiveSocket> {
  const socket = live.connect(browser)
  expect(await socket.subscribe(roomId)).toMatchObject({ type: 'subscribed' })
  return socket
}

/** Closes the only socket of a user, and waits until the service knows. */
export function closeSocketOf(service: TestRooms, { user }: TestUser, socket: LiveSocket): Promise<void> {
  socket.close()
  return until(() => service.rooms.hub.registry.ofUser(user.id).length === 0)
}
