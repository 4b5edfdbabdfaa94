import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { createRoom, member } from '../actions.ts'
import { ALICE } from '../provider/hostile.ts'
import { FIREFOX, type FirefoxPage, openFirefox } from '../real/firefox.ts'
import { until } from '../until.ts'
import { MESH } from '../voice/call.ts'
import { BOB, ROOT, roomPages } from './browser.ts'
import { collectConnections, control, expectSilence, joinCall, received } from './call-page.ts'

const pages = roomPages({ settings: { voice: MESH } })
let firefox: FirefoxPage
beforeAll(async () => {
  if (FIREFOX === undefined) return
  await pages.signIn(ROOT)
  firefox = await openFirefox()
  const { browser } = await pages.signIn(ALICE)
  await firefox.setCookies(browser.cookies, pages.at('/'))
}, 60_000)
afterAll(() => firefox?.close())

/** Keeps the connections of the page in a variable. */
const COLLECT = `(() => {
  window.connections = []
  const Native = RTCPeerConnection
  window.RTCPeerConnection = class extends Native {
    constructor(configuration) {
      super(configuration)
      window.connections.push(this)
    }
  }
  return true
})()`

/** Whether sound and pictures have arrived over an open connection. */
const RECEIVES = `(async () => {
  const [packets, frames] = [[0], [0]]
  for (const connection of window.connections) {
    if (connection.connectionState !== 'connected') continue
    for (const stats of (await connection.getStats()).values())
      if (stats.type === 'inbound-rtp' && stats.kind === 'audio') packets.push(stats.packetsReceived)
      else if (stats.type === 'inbound-rtp') frames.push(stats.framesDecoded)
  }
  return Math.max(...packets) > 20 && Math.max(...frames) > 5
})()`

/** A page of each browser in a new room: Alice is in Firefox, Bob in Chromium. */
async function openBoth(): Promise<Page> {
  const host = await member(pages.service(), 'Hanna Host')
  const settings = { defaultRole: 'speaker', voice: 'video' }
  const { id } = await createRoom(host, settings)
  await firefox.open(pages.at(`/rooms/${id}`))
  await firefox.evaluate(COLLECT)
  await pages.signIn(BOB)
  const { page } = await pages.openAs(BOB, `/rooms/${id}`)
  await page.getByRole('textbox', { name: /^Message / }).waitFor()
  await collectConnections(page)
  return page
}

const joinInFirefox = async () => {
  await firefox.press(/^(Start a|Join the) call/)
  await until(async () => (await firefox.evaluate(`document.querySelector('.call-tile') !== null`)) === true)
}

test.skipIf(FIREFOX === undefined).each(['Firefox', 'Chromium'])(
  'R33.6: people in Firefox and Chromium hear and see each other when %s joins first',
  async (first) => {
    const page = await openBoth()
    if (first === 'Firefox') await joinInFirefox()
    await joinCall(page)
    if (first === 'Chromium') await joinInFirefox()
    for (const what of ['microphone', 'camera']) {
      await firefox.press(new RegExp(`^Turn on the ${what}`))
      await control(page, `Turn on the ${what}`).click()
    }
    await until(async () => {
      const { audioPackets, frames } = await received(page)
      return audioPackets > 20 && frames > 5
    })
    await until(async () => (await firefox.evaluate(RECEIVES)) === true)
    await firefox.press(/^Leave the call/)
    await expectSilence(page)
    expect(
      await firefox.evaluate(`window.connections.every((each) => each.signalingState === 'closed')`),
    ).toBe(true)
  },
  60_000,
)
