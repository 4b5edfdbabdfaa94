import { afterAll, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { type TestUser, createRoom, makeMember, member } from '../actions.ts'
import type { Person } from '../provider/hostile.ts'
import { type Live, listen } from '../realtime/live.ts'
import { until } from '../until.ts'
import { type Caller, enter, joinCall as joinByApi } from '../voice/call.ts'
import type { roomPages } from './browser.ts'

declare global {
  interface Window {
    /** All peer connections that the page has made. */
    peerConnections: RTCPeerConnection[]
  }
}

/** Collects the peer connections that a page makes from now on. */
export async function collectConnections(page: Page): Promise<void> {
  await page.evaluate(() => {
    window.peerConnections = []
    const Native = RTCPeerConnection
    window.RTCPeerConnection = class extends Native {
      constructor(configuration?: RTCConfiguration) {
        super(configuration)
        window.peerConnections.push(this)
      }
    }
  })
}

/** What a page has received and sent so far over one connection. */
interface Traffic {
  isOpen: boolean
  isConnected: boolean
  audioPackets: number
  audioEnergy: number
  frames: number
  sentPackets: number
  /** Packets of sound and frames: without those that only measure the network. */
  sentMedia: number
}

async function trafficOf(page: Page): Promise<Traffic[]> {
  return page.evaluate(() =>
    Promise.all(
      window.peerConnections.map(async (connection) => {
        const total = { audioPackets: 0, audioEnergy: 0, frames: 0, sentPackets: 0, sentMedia: 0 }
        for (const stats of (await connection.getStats()).values()) {
          if (stats.type === 'outbound-rtp') {
            total.sentPackets += stats.packetsSent ?? 0
            total.sentMedia += (stats.kind === 'audio' ? stats.packetsSent : stats.framesSent) ?? 0
          }
          if (stats.type !== 'inbound-rtp') continue
          total.frames += stats.framesDecoded ?? 0
          total.audioEnergy += stats.totalAudioEnergy ?? 0
          if (stats.kind === 'audio') total.audioPackets += stats.packetsReceived ?? 0
        }
        const { connectionState: state } = connection
        return { isOpen: state !== 'closed', isConnected: state === 'connected', ...total }
      }),
    ),
  )
}

export type Received = Omit<Traffic, 'isOpen' | 'isConnected'> & { connections: number }

function sumOf(all: readonly Traffic[]): Received {
  const total = { connections: 0, audioPackets: 0, audioEnergy: 0, frames: 0, sentPackets: 0, sentMedia: 0 }
  for (const each of all.filter(({ isOpen }) => isOpen)) {
    if (each.isConnected) total.connections++
    total.audioPackets += each.audioPackets
    total.audioEnergy += each.audioEnergy
    total.frames += each.frames
    total.sentPackets += each.sentPackets
    total.sentMedia += each.sentMedia
  }
  return total
}

/** What the open connections of a page have received and sent so far. */
export async function received(page: Page): Promise<Received> {
  return sumOf(await trafficOf(page))
}

/** What a page receives and sends in `ms`, over the connections that are open at its end. */
export async function receivedWithin(page: Page, ms: number): Promise<Received> {
  const before = await trafficOf(page)
  await page.waitForTimeout(ms)
  const after = await trafficOf(page)
  return sumOf(
    after.map((each, index) => {
      const {
        audioPackets = 0,
        audioEnergy = 0,
        frames = 0,
        sentPackets = 0,
        sentMedia = 0,
      } = before[index] ?? {}
      return {
        ...each,
        audioPackets: each.audioPackets - audioPackets,
        audioEnergy: each.audioEnergy - audioEnergy,
        // The counters of a stopped transmission end with it.
        frames: Math.max(0, each.frames - frames),
        sentPackets: each.sentPackets - sentPackets,
        sentMedia: each.sentMedia - sentMedia,
      }
    }),
  )
}

export const call = (page: Page) => page.getByRole('region', { name: 'Call' })
export const control = (page: Page, name: string | RegExp) => call(page).getByRole('button', { name })
export const tiles = (page: Page) => page.locator('.call-tile')

/** Joins the call with one press. */
export async function joinCall(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^(Start a|Join the) call/ }).click()
  await control(page, 'Leave the call').waitFor()
}

/**
 * Gives the page a microphone that hears a steady tone. Chromium's own beeps for an instant twice a
 * second: samples of its level can miss every beep, and LiveKit takes them for noise.
 */
export async function giveTone(page: Page): Promise<void> {
  await page.evaluate(() => {
    const { mediaDevices } = navigator
    const native = mediaDevices.getUserMedia.bind(mediaDevices)
    mediaDevices.getUserMedia = async (constraints) => {
      const stream = await native(constraints)
      if (!constraints?.audio) return stream
      const audio = new AudioContext()
      const output = audio.createMediaStreamDestination()
      const tone = audio.createOscillator()
      tone.connect(output)
      tone.start()
      return output.stream
    }
  })
}

/** Turns on the microphone and waits until it is heard on the other pages. */
export async function talk(page: Page, listeners: readonly Page[]): Promise<void> {
  await control(page, 'Turn on the microphone').click()
  for (const listener of listeners) {
    const before = await received(listener)
    await until(async () => {
      const now = await received(listener)
      return now.audioPackets > before.audioPackets + 5 && now.audioEnergy > before.audioEnergy
    })
  }
}

export async function mute(page: Page): Promise<void> {
  await control(page, 'Turn off the microphone').click()
  await control(page, 'Turn on the microphone').waitFor()
}

/**
 * Waits until the page is in the call with the rights of a listener. A right that returns earlier
 * would turn the microphone on again, as after a lost connection.
 */
export async function waitForListener(page: Page): Promise<void> {
  await control(page, 'Raise your hand').waitFor()
  await control(page, /the microphone$/).waitFor({ state: 'detached' })
}

/** Fails unless no more sound and no more pictures arrive on this page, in two seconds at the latest. */
export async function expectSilence(page: Page): Promise<void> {
  const end = performance.now() + 2_000
  let arrived = 1
  // The difference is negative when a track and its statistics have been removed.
  while (arrived !== 0 && performance.now() < end) {
    const { audioPackets, frames } = await receivedWithin(page, 250)
    arrived = audioPackets + frames
  }
  expect(arrived).toBe(0)
}

/** Calls of rooms of this host, in these pages. */
export function callRooms(pages: ReturnType<typeof roomPages>, host: () => TestUser) {
  let live: Live | undefined
  afterAll(() => live?.stop())
  /** A room in which these people may speak. */
  async function roomOf(people: readonly Person[], settings = {}): Promise<string> {
    const { id } = await createRoom(host(), { name: 'Garden', ...settings })
    for (const person of people) {
      const { id: userId } = await pages.signIn(person)
      await makeMember(pages.service(), id, { user: { id: userId } }, 'speaker')
    }
    return id
  }
  async function openIn(person: Person, roomId: string, view = {}) {
    const opened = await pages.openAs(person, `/rooms/${roomId}`, view)
    await opened.page.getByRole('textbox', { name: /^Message / }).waitFor()
    await collectConnections(opened.page)
    return opened
  }
  /** Pages of these people in a call of their room. */
  async function callOf(people: readonly Person[], settings = {}) {
    const roomId = await roomOf(people, settings)
    const opened = []
    for (const person of people) {
      const each = await openIn(person, roomId)
      await joinCall(each.page)
      opened.push(each)
    }
    for (const { page } of opened)
      await tiles(page)
        .nth(people.length - 1)
        .waitFor()
    return { roomId, opened, pages: opened.map(({ page }) => page) }
  }
  /** A person in the call of this room without a page, who costs a tenth of one with a page. */
  async function another(roomId: string, nickname: string): Promise<Caller> {
    live ??= listen(pages.service().rooms)
    const user = await member(pages.service(), nickname)
    await makeMember(pages.service(), roomId, user, 'speaker')
    const caller = await enter(live, user, roomId)
    await joinByApi(caller, roomId)
    return caller
  }
  return { roomOf, openIn, callOf, another }
}
