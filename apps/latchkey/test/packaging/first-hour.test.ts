// What a person types, from an empty Debian to a link, a message and a restored backup.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type Page, chromium } from 'playwright-core'
import manifest from '../../package.json' with { type: 'json' }
import { packLinux } from '../../../../scripts/release/packages.ts'
import { ownPlatform } from '../../../../scripts/release/platforms.ts'
import { ROOT } from '../../../../scripts/release/run.ts'
import { CHROMIUM, FLAGS } from '../../../rooms/test/real/browser.ts'
import { until } from '../../../rooms/test/until.ts'
import { testExecutable } from './executable.ts'
import { HAS_MACHINES, Machine } from './machine.ts'

const HAS_PROGRAMS = ['nfpm', 'caddy', 'curl'].every((program) => Bun.which(program) !== null)
const [LINKS, ROOMS] = ['https://go.harbour.test', 'https://rooms.harbour.test'] as const
const SECRET = 'a-secret-of-the-client'
const MESSAGE = 'The ferry leaves at nine'
const BACKUP = '/var/backups/latchkey/first.tar'
/** Where Caddy keeps the certificate of its own authority. */
const AUTHORITY = '/var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt'
const MAX_COMMANDS = 4
const MAX_MINUTES = 10

const executable = testExecutable()

/** The ways in which Latchkey comes to a server: each is one command. */
const INSTALLATIONS = {
  deb: 'apt-get install --yes /mnt/latchkey.deb',
  executable: 'install /mnt/latchkey /usr/local/bin/latchkey',
}

describe.skipIf(!HAS_MACHINES || !HAS_PROGRAMS || !CHROMIUM)('from an empty Debian', () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-first-hour-'))

  beforeAll(async () => {
    chmodSync(folder, 0o755)
    copyFileSync(executable.path, join(folder, 'latchkey'))
    const contents = { executable: executable.path, version: manifest.version, sourceTime: new Date(0) }
    await packLinux(ownPlatform(), contents, folder)
    const deb = readdirSync(folder).find((name) => name.endsWith('.deb')) ?? ''
    copyFileSync(join(folder, deb), join(folder, 'latchkey.deb'))
  }, 120_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  describe.each(Object.entries(INSTALLATIONS))('with the %s alone', (name, install) => {
    let machine: Machine
    let provider: Provider
    let browser: Browser
    const typed: string[] = []

    beforeAll(async () => {
      machine = await Machine.boot(folder)
      // A clone below /tmp is not in the machine.
      if (machine.run('ls', ROOT).code === 0) machine.output('mount', '-t', 'tmpfs', 'hidden', ROOT)
      machine.output('sh', '-c', `echo '127.0.0.1 go.harbour.test rooms.harbour.test' >>/etc/hosts`)
      // As after its own installation.
      machine.output('systemctl', 'start', 'caddy')
      provider = await startProvider(machine)
      browser = await launchIn(machine, folder)
    }, 60_000)
    afterAll(async () => {
      await browser?.close()
      provider?.stop()
      await machine?.stop()
    }, 30_000)

    /** What a person types at the server, as root. */
    function type(command: string, answers: readonly string[] = []): string {
      typed.push(command)
      const { code, output } = machine.runWithInput(
        answers.map((line) => `${line}\n`).join(''),
        'sh',
        '-c',
        command,
      )
      expect(code, output).toBe(0)
      return output
    }

    const curl = (...args: string[]) => machine.output('curl', '-sS', '--cacert', AUTHORITY, ...args)
    const locationOf = (url: string) => curl('-o', '/dev/null', '-w', '%{http_code} %{redirect_url}', url)

    test(`O2.3g O2.8: ${MAX_COMMANDS} commands and ${MAX_MINUTES} minutes lead to a link by API, a message in a browser and a restored backup`, async () => {
      const beganMs = performance.now()
      expect(machine.run('ls', `${ROOT}/package.json`).code).not.toBe(0)
      type(install)
      const answers = [
        new URL(LINKS).host,
        new URL(ROOMS).host,
        'oidc',
        provider.origin,
        '',
        'latchkey-rooms',
        SECRET,
        'alice@example.com',
        '',
        'yes',
        'yes',
      ]
      expect(type('latchkey setup', answers)).toContain('Setup is complete.')

      const page = await (await browser.newContext({ locale: 'en-GB', ignoreHTTPSErrors: true })).newPage()
      const key = await createKey(page)
      const body = [
        '-H',
        'Content-Type: application/json',
        '-d',
        '{"url":"https://example.com/ferry","slug":"ferry"}',
      ]
      expect(curl('-H', `Authorization: Bearer ${key}`, ...body, `${LINKS}/_/api/links`)).toContain(
        '"url":"https://example.com/ferry"',
      )
      expect(locationOf(`${LINKS}/ferry`)).toBe('302 https://example.com/ferry')
      const room = await writeMessage(page)

      type(`latchkey backup ${BACKUP}`)
      machine.output('sh', '-c', 'rm -r /var/lib/latchkey/data')
      machine.output('systemctl', 'kill', '--signal=KILL', 'latchkey-links', 'latchkey-rooms')
      await until(() => locationOf(`${LINKS}/ferry`) === '404')
      type(`latchkey restore ${BACKUP}`)

      await until(() => locationOf(`${LINKS}/ferry`) === '302 https://example.com/ferry')
      // A restore ends all sessions, but not that of the provider.
      await page.goto(`${ROOMS}/api/auth/login?returnTo=${new URL(room).pathname}`)
      await page.waitForURL(room)
      await page.locator('.message-text').getByText(MESSAGE).waitFor()
      expect(machine.output('find', '/var/lib/latchkey', '!', '-user', 'latchkey')).toBe('')

      const minutes = (performance.now() - beganMs) / 60_000
      console.log(`${name}: ${typed.length} commands, ${minutes.toFixed(2)} minutes\n  ${typed.join('\n  ')}`)
      expect(typed.length).toBeLessThanOrEqual(MAX_COMMANDS)
      expect(minutes).toBeLessThan(MAX_MINUTES)
    }, 300_000)
  })
})

interface Provider {
  origin: string
  stop(): void
}

/** An identity provider that knows Rooms, at an address of the machine. */
async function startProvider(machine: Machine): Promise<Provider> {
  const registration = {
    client_id: 'latchkey-rooms',
    client_secret: SECRET,
    redirect_uris: [`${ROOMS}/api/auth/callback`],
    post_logout_redirect_uris: [ROOMS],
  }
  const script = join(import.meta.dir, 'provider-process.ts')
  const child = Bun.spawn(
    ['nsenter', `--net=${machine.network}`, process.execPath, script, JSON.stringify(registration)],
    { stdin: 'ignore', stdout: 'pipe', stderr: 'ignore' },
  )
  for await (const line of child.stdout.pipeThrough(new TextDecoderStream()))
    return { origin: line.trim(), stop: () => child.kill() }
  throw new Error('The identity provider does not start')
}

/** A browser of this machine in the network of the other. Its commands come through a pipe. */
async function launchIn(machine: Machine, folder: string): Promise<Browser> {
  const script = join(folder, 'browser')
  writeFileSync(script, `#!/bin/sh\nexec nsenter --net=${machine.network} ${CHROMIUM} "$@"\n`)
  chmodSync(script, 0o755)
  const names = '--host-resolver-rules=MAP *.harbour.test 127.0.0.1'
  return chromium.launch({ executablePath: script, args: [...FLAGS, names] })
}

/** Signs in on the way to the admin side of Links, and creates an API key there. */
async function createKey(page: Page): Promise<string> {
  await page.goto(`${LINKS}/_/admin/keys`)
  await page.getByPlaceholder('Enter any login').fill('alice')
  await page.getByPlaceholder('and password').fill('any')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.waitForURL(`${LINKS}/_/admin/keys`)
  await page.getByRole('button', { name: 'Create key' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Title' }).fill('ferries')
  await page.keyboard.press('Enter')
  return dialog.getByRole('textbox', { name: 'Your new key' }).inputValue()
}

/** Creates a room, writes a message in it, and returns the address of the room. */
async function writeMessage(page: Page): Promise<string> {
  await page.goto(ROOMS)
  await page.getByRole('button', { name: 'New room' }).click()
  const dialog = page.getByRole('dialog', { name: 'New room' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Harbour')
  await dialog.getByRole('button', { name: 'Create room' }).click()
  await page.getByRole('heading', { name: 'Harbour', level: 1 }).waitFor()
  const field = page.getByRole('textbox', { name: /^Message / })
  await field.fill(MESSAGE)
  // Enter does nothing until the page has entered the room.
  await until(async () => {
    await field.press('Enter')
    return (await field.inputValue()) === ''
  })
  await page.locator('.message-text').getByText(MESSAGE).waitFor()
  return page.url()
}
