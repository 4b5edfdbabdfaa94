import { afterAll, beforeAll } from 'bun:test'
import { join } from 'node:path'
import { testBrowser } from '@latchkey/web/testing/browser'
import type { Page } from 'playwright-core'
import type { JoinedCall } from '../../src/voice/schema.ts'
import type { CallPeer, CallState } from '../../src/web/live/frames.ts'
import { collectConnections } from './call-page.ts'

const CLIENT = join(import.meta.dirname, 'engine-client.ts')
const ALL = { audio: true, camera: true, screen: true }
const SILENT: CallState = { audio: false, camera: false, screen: false, hand: false }

/** Pages for the calling file, each with an engine and nothing else of the client. */
export function enginePages() {
  const browser = testBrowser()
  let server: ReturnType<typeof Bun.serve> | undefined
  beforeAll(async () => {
    const { outputs } = await Bun.build({ entrypoints: [CLIENT], target: 'browser', format: 'esm' })
    const script = await outputs[0]?.text()
    server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: ({ url }) =>
        url.endsWith('.js')
          ? new Response(script, { headers: { 'content-type': 'text/javascript' } })
          : new Response(
              '<!doctype html><h1>Engine</h1><body><script type="module" src="/engine.js"></script>',
              {
                headers: { 'content-type': 'text/html' },
              },
            ),
    })
  }, 60_000)
  afterAll(() => server?.stop(true))
  return {
    /** A page whose engine joins as this connection. */
    async join(person: Connection, joined: JoinedCall): Promise<EnginePage> {
      const { page, errors } = await browser.open(`http://localhost:${server?.port}/`)
      page.setDefaultTimeout(12_000)
      await page.getByRole('button', { name: 'Share' }).waitFor()
      await collectConnections(page)
      await page.evaluate(([id, answer]) => window.engine.start(id, answer), [
        person.connectionId,
        joined,
      ] as const)
      return new EnginePage(page, errors, person)
    },
  }
}

export interface Connection {
  userId: string
  connectionId: string
}

export class EnginePage {
  readonly page: Page
  readonly errors: readonly string[]
  readonly #self: Connection
  state: CallState = SILENT

  constructor(page: Page, errors: readonly string[], self: Connection) {
    this.page = page
    this.errors = errors
    this.#self = self
  }

  /** What others know of this connection. */
  peer(): CallPeer {
    return { ...this.#self, ...this.state, grants: ALL, muted: false, hand: null }
  }

  /** Sends what this state says, which the others learn before. */
  async send(changes: Partial<CallState>, others: readonly EnginePage[]): Promise<void> {
    this.state = { ...SILENT, ...changes }
    for (const other of others) await other.meet(this)
    await this.page.evaluate((state) => window.engine.send(state), this.state)
  }

  /** Learns what another connection does now. */
  async meet(other: EnginePage): Promise<void> {
    await this.page.evaluate((peer) => window.engine.setPeer(peer), other.peer())
  }

  lost(): Promise<boolean[]> {
    return this.page.evaluate(() => window.engine.lost)
  }
}
