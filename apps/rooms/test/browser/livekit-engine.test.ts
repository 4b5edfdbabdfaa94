// The engine of calls that LiveKit carries, between pages and LiveKit's own server.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import type { Grants } from '../../src/voice/grants.ts'
import { formatIdentity, signParticipantToken } from '../../src/voice/livekit/tokens.ts'
import type { JoinedCall } from '../../src/voice/schema.ts'
import { type LiveKitServer, livekitProgram, livekitServer } from '../voice/livekit-server.ts'
import { until } from '../until.ts'
import { expectSilence, giveTone, received, receivedWithin } from './call-page.ts'
import { type Connection, type EnginePage, enginePages } from './engine-page.ts'

const ALL: Grants = { audio: true, camera: true, screen: true }
const NONE: Grants = { audio: false, camera: false, screen: false }
const LATER_MS = 400

describe.skipIf(!livekitProgram)('the engine for LiveKit', () => {
  const pages = enginePages()
  let server: LiveKitServer
  beforeAll(async () => {
    server = await livekitServer()
  })
  afterAll(() => server.kill())

  async function answerFor(identity: Connection, room: string, grants: Grants): Promise<JoinedCall> {
    const { settings } = server
    return {
      mode: 'livekit',
      call: { id: room, startedAt: new Date().toISOString() },
      peers: [],
      grants,
      iceServers: [],
      relayOnly: false,
      url: settings.url.replace('http', 'ws'),
      token: await signParticipantToken(settings, { identity, room, grants }, Date.now()),
    }
  }

  const newConnection = () => ({ userId: crypto.randomUUID(), connectionId: crypto.randomUUID() })

  /** Two pages in a call, which know each other. */
  async function two(grants = ALL) {
    const room = crypto.randomUUID()
    const [alice, bob] = [newConnection(), newConnection()]
    const join = async (person: Connection) => pages.join(person, await answerFor(person, room, grants))
    const [first, second] = await Promise.all([join(alice), join(bob)])
    await first.meet(second)
    await second.meet(first)
    return { room, alice, bob, first, second, join }
  }

  async function expectTalk(from: EnginePage, to: EnginePage): Promise<void> {
    const before = await received(to.page)
    await from.send({ audio: true }, [to])
    await until(async () => {
      const now = await received(to.page)
      return now.audioPackets > before.audioPackets + 5 && now.audioEnergy > before.audioEnergy
    })
  }

  test('R33.6: sound and pictures flow between two pages, and end when one leaves', async () => {
    const { first, second } = await two()
    await first.send({ audio: true, camera: true }, [second])
    await expectTalk(second, first)
    await until(async () => {
      const { audioEnergy, frames } = await received(second.page)
      return audioEnergy > 0 && frames > 20
    })
    await first.page.evaluate(() => window.engine.media.stop())
    await expectSilence(second.page)
    expect(await received(first.page)).toMatchObject({ connections: 0 })
    expect(await first.lost()).toEqual([])
    expect([...first.errors, ...second.errors]).toEqual([])
  }, 60_000)

  describe('two pages in a call', () => {
    let first: EnginePage
    let second: EnginePage
    beforeAll(async () => {
      ;({ first, second } = await two())
    })
    afterAll(() => Promise.all([first, second].map(({ page }) => page.context().close())))
    afterEach(() => first.send({}, [second]))

    test('R33.6l: a screen arrives only while it is watched, and cameras only without "audio only"', async () => {
      const { connectionId } = first.peer()
      await first.page.getByRole('button', { name: 'Share' }).click()
      await first.page.waitForFunction(() => window.engine.media.devices.media.tracks.screen !== null)
      await first.send({ screen: true }, [second])
      expect((await receivedWithin(second.page, LATER_MS)).frames).toBe(0)
      await second.page.evaluate((id) => window.engine.media.setWatched(id, true), connectionId)
      await until(async () => (await receivedWithin(second.page, LATER_MS)).frames > 0)
      await second.page.evaluate((id) => window.engine.media.setWatched(id, false), connectionId)
      await expectSilence(second.page)
      await first.send({ camera: true, audio: true }, [second])
      await until(async () => (await receivedWithin(second.page, LATER_MS)).frames > 0)
      await second.page.evaluate(() => window.engine.media.setAudioOnly(true))
      await until(async () => (await receivedWithin(second.page, LATER_MS)).frames <= 0)
      expect((await receivedWithin(second.page, LATER_MS)).audioPackets).toBeGreaterThan(0)
      await second.page.evaluate(() => window.engine.media.setAudioOnly(false))
      await until(async () => (await receivedWithin(second.page, LATER_MS)).frames > 0)
    }, 60_000)

    test('R33.6l: a picture that is not visible is not sent', async () => {
      await first.send({ camera: true }, [second])
      await until(async () => (await receivedWithin(second.page, LATER_MS)).frames > 0)
      const hide = (isHidden: boolean) =>
        second.page.evaluate(
          (display) => {
            document.body.style.display = display
          },
          isHidden ? 'none' : '',
        )
      await hide(true)
      await until(async () => (await receivedWithin(second.page, LATER_MS)).frames === 0)
      await hide(false)
      await until(async () => (await receivedWithin(second.page, LATER_MS)).frames > 0)
    }, 60_000)

    test('R33.5: nothing is sent while the engine is paused, nor by a microphone that is off', async () => {
      await first.send({ audio: true, camera: true }, [second])
      await until(async () => (await receivedWithin(second.page, LATER_MS)).frames > 0)
      await first.page.evaluate(() => window.engine.media.setPaused(true))
      await expectSilence(second.page)
      expect((await receivedWithin(first.page, LATER_MS)).sentMedia).toBe(0)
      await first.page.evaluate(() => window.engine.media.setPaused(false))
      await until(async () => {
        const { audioPackets, audioEnergy, frames } = await receivedWithin(second.page, LATER_MS)
        return audioPackets > 0 && audioEnergy > 0 && frames > 0
      })
      await first.send({}, [second])
      await expectSilence(second.page)
      expect((await receivedWithin(first.page, LATER_MS)).sentMedia).toBe(0)
      await expectTalk(first, second)
    }, 60_000)
  })

  test('R33.4: a right that comes during the call is used at once, and sends nothing before', async () => {
    const { room, alice, first, second } = await two(NONE)
    await first.send({ audio: true }, [second])
    expect((await receivedWithin(first.page, LATER_MS)).sentMedia).toBe(0)
    await server.api.updateGrants(room, formatIdentity(alice), { ...NONE, audio: true })
    await until(async () => (await receivedWithin(second.page, LATER_MS)).audioEnergy > 0)
    await server.api.updateGrants(room, formatIdentity(alice), NONE)
    await expectSilence(second.page)
    expect((await receivedWithin(first.page, LATER_MS)).sentMedia).toBe(0)
    expect(await first.lost()).toEqual([])
  }, 60_000)

  test('R33.6: what a moderator muted is heard again after the user turns it on', async () => {
    const { room, alice, first, second } = await two()
    await expectTalk(first, second)
    const participants = await server.api.listParticipants(room)
    const [track] = participants.find(({ identity }) => identity === formatIdentity(alice))?.tracks ?? []
    await server.api.muteTrack(room, formatIdentity(alice), track?.sid ?? '')
    await first.send({}, [second])
    await expectSilence(second.page)
    await expectTalk(first, second)
  }, 60_000)

  test('R33.6: the page shows who speaks', async () => {
    const { first, second } = await two()
    await giveTone(first.page)
    await expectTalk(first, second)
    const { connectionId } = first.peer()
    const isSpeaking = () =>
      second.page.evaluate((id) => window.engine.media.engine?.isSpeaking(id), connectionId)
    await until(async () => (await isSpeaking()) === true)
    await first.send({}, [second])
    await until(async () => (await isSpeaking()) === false)
  }, 60_000)

  test('R33.5: an engine reports its removal and the loss of the server, and joins again with a new token', async () => {
    const { room, alice, first, second, join } = await two()
    await expectTalk(second, first)
    await server.api.removeParticipant(room, formatIdentity(alice))
    await until(async () => (await first.lost()).length > 0)
    expect(await first.lost()).toEqual([true])
    const again = await join(alice)
    await again.meet(second)
    await until(async () => (await receivedWithin(again.page, LATER_MS)).audioEnergy > 0)
    await server.kill()
    await until(async () => (await second.lost()).length > 0)
    expect(await second.lost()).toEqual([false])
    expect((await receivedWithin(second.page, LATER_MS)).sentMedia).toBe(0)
  }, 60_000)
})
