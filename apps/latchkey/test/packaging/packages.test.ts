import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { ownPlatform, platformNamed } from '../../../../scripts/release/platforms.ts'
import { packLinux } from '../../../../scripts/release/packages.ts'
import { until } from '../../../rooms/test/until.ts'
import { testExecutable } from './executable.ts'
import { HAS_MACHINES, Machine } from './machine.ts'

const HAS_PACKERS = ['nfpm', 'dpkg', 'rpm'].every((program) => Bun.which(program) !== null)
const executable = testExecutable()
const [OLD, NEW] = ['0.1.0', '0.2.0']
const sourceTime = new Date('2026-01-02T03:04:05Z')

interface Format {
  suffix: string
  install: string[]
  upgrade: string[]
  remove: string[]
}

/** Debian's rpm has its own database, which knows nothing of Debian's libraries. */
const RPM = ['rpm', '--force-debian', '--nodeps', '--dbpath', '/var/lib/rpm-of-tests']
/** As unattended upgrades do: keeps a changed file, without a question. */
const DPKG = ['dpkg', '--force-confdef', '--force-unsafe-io']
const FORMATS: Record<string, Format> = {
  deb: {
    suffix: 'deb',
    install: [...DPKG, '--install'],
    upgrade: [...DPKG, '--install'],
    remove: [...DPKG, '--remove', 'latchkey'],
  },
  rpm: {
    suffix: 'rpm',
    install: [...RPM, '--install'],
    upgrade: [...RPM, '--upgrade'],
    remove: [...RPM, '--erase', 'latchkey'],
  },
}

describe.skipIf(!HAS_MACHINES || !HAS_PACKERS)('packages of this machine’s platform', () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-packages-'))
  const folderOf = (version: string) => join(folder, version)
  /** Packing the executable takes seconds, so the newer version is a script that calls it. */
  const script = join(folder, 'latchkey.sh')

  beforeAll(async () => {
    chmodSync(folder, 0o755)
    copyFileSync(executable.path, join(folder, 'latchkey'))
    writeFileSync(script, `#!/bin/sh\n[ "$1" != --version ] || exec echo ${NEW}\nexec /mnt/latchkey "$@"\n`)
    const executables = { [OLD]: executable.path, [NEW]: script }
    for (const [version, path] of Object.entries(executables)) {
      mkdirSync(folderOf(version))
      await packLinux(ownPlatform(), { executable: path, version, sourceTime }, folderOf(version))
    }
  }, 120_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  function packageOf(version: string, suffix: string): string {
    const name = readdirSync(folderOf(version)).find((each) => each.endsWith(`.${suffix}`))
    return join(version, name ?? '')
  }

  test('O1.2: a deb and an rpm have the same bytes when packed again', async () => {
    const again = folderOf('again')
    mkdirSync(again)
    await packLinux(ownPlatform(), { executable: script, version: NEW, sourceTime }, again)
    const names = readdirSync(again)
    expect(names).toHaveLength(2)
    for (const name of names) expect(hashOf(join(again, name))).toBe(hashOf(join(folderOf(NEW), name)))
  })

  describe.each(Object.entries(FORMATS))('as %s', (_, { suffix, install, upgrade, remove }) => {
    let machine: Machine
    const isActive = (unit: string) => machine.run('systemctl', 'is-active', unit).output.trim()
    const mainPid = (unit: string) => machine.output('systemctl', 'show', '--value', '-p', 'MainPID', unit)
    const health = (service: string) => machine.run('latchkey', 'health', '--service', service)

    beforeAll(async () => {
      machine = await Machine.boot(folder)
    }, 60_000)
    afterAll(() => machine.stop())

    test('O1.2a: the first installation creates the user and starts nothing', () => {
      expect(machine.run('getent', 'passwd', 'latchkey').code).not.toBe(0)
      const output = machine.output(...install, `/mnt/${packageOf(OLD, suffix)}`)
      expect(output).toContain('latchkey setup\n')
      expect(output).toContain('systemctl enable --now latchkey-links latchkey-rooms')
      expect(machine.output('getent', 'passwd', 'latchkey')).toMatch(/:\/var\/lib\/latchkey:.*nologin$/)
      for (const unit of ['latchkey-links', 'latchkey-rooms']) {
        expect(isActive(unit)).toBe('inactive')
        expect(machine.run('systemctl', 'is-enabled', unit).output).toBe('disabled\n')
      }
      expect(machine.output('latchkey', '--version')).toBe(manifest.version)
    })

    test('O1.2g: bash completes the commands', () => {
      const completion = `. /usr/share/bash-completion/completions/latchkey
        COMP_WORDS=(latchkey rooms admin '') COMP_CWORD=3
        _latchkey; echo "\${COMPREPLY[*]}"`
      expect(machine.output('bash', '-c', completion).split(' ')).toContain('grant')
    })

    test('O1.2b: only root can read the settings and the token of metrics', () => {
      const names = ['', '/links.env', '/rooms.env', '/metrics-token'].map((name) => `/etc/latchkey${name}`)
      const modes = machine.output('stat', '--format=%a %U', ...names)
      expect(modes.split('\n')).toEqual(['700 root', '600 root', '600 root', '600 root'])
      expect(machine.output('cat', '/etc/latchkey/metrics-token')).toMatch(/^[0-9a-f]{48}$/)
    })

    test('O1.2c: systemd finds nothing wrong with the units, and runs them with their hardening', async () => {
      expect(
        machine.run('systemd-analyze', 'verify', 'latchkey-links.service', 'latchkey-rooms.service'),
      ).toEqual({
        code: 0,
        output: '',
      })
      machine.output('systemctl', 'enable', '--now', 'latchkey-links')
      await until(() => health('links').code === 0)
      const pid = mainPid('latchkey-links')
      expect(machine.output('stat', '--format=%U', `/proc/${pid}`)).toBe('latchkey')
      expect(machine.output('grep', '^NoNewPrivs\\|^CapEff', `/proc/${pid}/status`)).toMatch(
        /^CapEff:\t0+\nNoNewPrivs:\t1$/,
      )
      expect(machine.output('stat', '--format=%U', '/var/lib/latchkey/data/links.db')).toBe('latchkey')
    })

    test('O4.2a: systemd keeps requests for the next process over a restart and a crash', () => {
      const ask = `curl -sS -o /dev/null -w '%{http_code}\\n' http://127.0.0.1:8080/robots.txt`
      const before = mainPid('latchkey-links')
      const whileRestarting = `systemctl restart latchkey-links & for n in $(seq 60); do ${ask} || exit 1; done; wait`
      expect(machine.output('bash', '-c', whileRestarting)).toBe(Array(60).fill('200').join('\n'))
      const restarted = mainPid('latchkey-links')
      expect(restarted).not.toBe(before)
      machine.output('systemctl', 'kill', '-s', 'KILL', 'latchkey-links')
      expect(machine.output('bash', '-c', ask)).toBe('200')
      expect(mainPid('latchkey-links')).not.toBe(restarted)
    })

    test('O1.2b: the settings that the files suggest start both services', async () => {
      machine.output('sh', '-c', 'echo of-rooms-for-tests >/etc/latchkey/auth-client-secret')
      for (const service of ['links', 'rooms']) {
        machine.output('sed', '-i', 's/^#\\([A-Z]\\)/\\1/', `/etc/latchkey/${service}.env`)
        machine.output('systemctl', 'restart', `latchkey-${service}`)
        await until(() => health(service).code === 0)
      }
      machine.output('systemctl', 'stop', 'latchkey-rooms')
    })

    test('O1.2d: an upgrade keeps changed settings, and restarts the services that run, no others', async () => {
      const settings = 'LINKS_TITLE_FETCH=off\n'
      machine.output('sh', '-c', `printf '${settings}' >/etc/latchkey/links.env`)
      const token = machine.output('cat', '/etc/latchkey/metrics-token')
      const before = mainPid('latchkey-links')
      const output = machine.output(...upgrade, `/mnt/${packageOf(NEW, suffix)}`)
      expect(output).not.toContain('systemctl enable')
      await until(() => health('links').code === 0)
      expect(mainPid('latchkey-links')).not.toBe(before)
      expect(machine.output('latchkey', '--version')).toBe(NEW)
      expect(isActive('latchkey-rooms')).toBe('inactive')
      expect(machine.output('cat', '/etc/latchkey/links.env')).toBe(settings.trim())
      expect(machine.output('stat', '--format=%a', '/etc/latchkey/links.env')).toBe('600')
      expect(machine.output('cat', '/etc/latchkey/metrics-token')).toBe(token)
    })

    test('O1.2e: removal stops the services and keeps settings and data', () => {
      machine.output(...remove)
      expect(isActive('latchkey-links')).toBe('inactive')
      expect(machine.run('pgrep', '-u', 'latchkey').output).toBe('')
      expect(machine.run('ls', '/usr/bin/latchkey').code).not.toBe(0)
      expect(machine.run('find', '/etc/systemd/system', '-name', 'latchkey*').output).toBe('')
      expect(machine.output('sh', '-c', 'cat /etc/latchkey/links.env*')).toContain('LINKS_TITLE_FETCH=off')
      expect(machine.output('ls', '/var/lib/latchkey/data')).toContain('links.db')
    })

    if (suffix !== 'deb') return

    test('O1.2f: purging deletes the settings and the token, and keeps the data', () => {
      machine.output('dpkg', '--purge', 'latchkey')
      // A person made this file.
      expect(machine.output('ls', '/etc/latchkey')).toBe('auth-client-secret')
      expect(machine.output('ls', '/var/lib/latchkey/data')).toContain('links.db')
      expect(machine.output('getent', 'passwd', 'latchkey')).toContain('/var/lib/latchkey')
    })
  })
})

describe.skipIf(!HAS_PACKERS)('packages of another platform', () => {
  test('O1.2: name their processor as deb and rpm do', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-packages-'))
    const contents = { executable: import.meta.path, version: OLD, sourceTime }
    await packLinux(platformNamed('linux-arm64'), contents, folder)
    expect(readdirSync(folder).toSorted()).toEqual([
      'latchkey-0.1.0-1.aarch64.rpm',
      'latchkey_0.1.0_arm64.deb',
    ])
    rmSync(folder, { recursive: true })
  })
})

function hashOf(file: string): string {
  return new Bun.CryptoHasher('sha256').update(readFileSync(file)).digest('hex')
}
