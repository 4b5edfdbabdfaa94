import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@latchkey/http/free-port'
import { until } from '../until.ts'

/** Undefined if Firefox is not installed. */
export const FIREFOX = process.env['LATCHKEY_TEST_FIREFOX'] || Bun.which('firefox-esr') || undefined

const PREFERENCES = {
  'media.autoplay.default': 0,
  'media.navigator.permission.disabled': true,
  'media.navigator.streams.fake': true,
  'media.peerconnection.ice.loopback': true,
  'media.peerconnection.ice.obfuscate_host_addresses': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
}

interface Answer {
  id?: number
  type?: string
  message?: string
  result?: unknown
}

/** A page in Firefox, driven by WebDriver BiDi. */
export interface FirefoxPage {
  setCookies: (cookies: Iterable<readonly [name: string, value: string]>, url: string) => Promise<void>
  open: (url: string) => Promise<void>
  /** Evaluates an expression, of which promises are awaited. Its value must be a string or a boolean. */
  evaluate: (expression: string) => Promise<string | boolean>
  /** Presses the button with this label, as soon as there is one. */
  press: (label: RegExp) => Promise<void>
  close: () => Promise<void>
}

/** Starts Firefox, with fake devices, in a profile of its own. */
export async function openFirefox(): Promise<FirefoxPage> {
  const profile = mkdtempSync(join(tmpdir(), 'latchkey-firefox-'))
  const lines = Object.entries(PREFERENCES).map(
    ([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});\n`,
  )
  writeFileSync(join(profile, 'user.js'), lines.join(''))
  const port = await freePort()
  const browser = Bun.spawn(
    [FIREFOX ?? '', '--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', `${port}`],
    { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore', env: { ...process.env, HOME: profile } },
  )
  const send = await connect(`ws://127.0.0.1:${port}/session`)
  await send('session.new', { capabilities: {} })
  const tree = (await send('browsingContext.getTree')) as { contexts: { context: string }[] }
  const context = tree.contexts[0]?.context
  const evaluate: FirefoxPage['evaluate'] = async (expression) => {
    const options = { expression, target: { context }, awaitPromise: true, userActivation: true }
    const answer = (await send('script.evaluate', options)) as EvaluateAnswer
    if (answer.type !== 'success') throw new Error(answer.exceptionDetails?.text)
    return answer.result.value
  }
  return {
    async setCookies(cookies, url) {
      for (const [name, value] of cookies) {
        const cookie = { name, value: { type: 'string', value }, domain: new URL(url).hostname }
        await send('storage.setCookie', { cookie: { ...cookie, path: '/', httpOnly: false } })
      }
    },
    async open(url) {
      await send('browsingContext.navigate', { context, url, wait: 'complete' })
    },
    evaluate,
    press: (label) =>
      until(
        async () =>
          (await evaluate(`(() => {
            const label = (button) => button.getAttribute('aria-label') ?? button.textContent
            const button = [...document.querySelectorAll('button')].find((each) => ${label}.test(label(each)))
            button?.click()
            return button !== undefined
          })()`)) === true,
      ),
    async close() {
      browser.kill()
      await browser.exited
      rmSync(profile, { recursive: true, force: true })
    },
  }
}

interface EvaluateAnswer {
  type: 'success' | 'exception'
  result: { value: string | boolean }
  exceptionDetails?: { text: string }
}

/** Connects as soon as Firefox listens. Returns a function that sends a command. */
async function connect(url: string): Promise<(method: string, params?: object) => Promise<unknown>> {
  let socket: WebSocket | undefined
  await until(async () => {
    const attempt = new WebSocket(url)
    const isOpen = await new Promise<boolean>((resolve) => {
      attempt.addEventListener('open', () => resolve(true))
      attempt.addEventListener('error', () => resolve(false))
    })
    if (isOpen) socket = attempt
    return isOpen
  })
  const pending = new Map<number, (answer: Answer) => void>()
  socket?.addEventListener('message', ({ data }) => {
    const answer = JSON.parse(String(data)) as Answer
    pending.get(answer.id ?? 0)?.(answer)
  })
  let id = 0
  return async (method, params = {}) => {
    id++
    const answered = new Promise<Answer>((resolve) => pending.set(id, resolve))
    socket?.send(JSON.stringify({ id, method, params }))
    const { type, message, result } = await answered
    if (type === 'error') throw new Error(`${method}: ${message}`)
    return result
  }
}
