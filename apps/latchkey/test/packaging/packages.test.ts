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

    test('O1.2h: commands of root have the settings and secrets of the service, and run as its user', () => {
      const database = '/var/lib/latchkey/elsewhere/links.db'
      const dropIn =
        '[Service]\\nLoadCredential=url:/etc/latchkey/url\\nEnvironment=LINKS_DATABASE_URL_FILE=%%d/url\\n'
      const dropIns = '/etc/systemd/system/latchkey-links.service.d'
      machine.output(
        'sh',
        '-c',
        `umask 077; echo 'sqlite:${database}' >/etc/latchkey/url; mkdir ${dropIns}; printf '${dropIn}' >${dropIns}/url.conf
        systemctl daemon-reload`,
      )
      const create = [
        'keys',
        'create',
        '--identity',
        'ann@example.com',
        '--scope',
        'read',
        '--title',
        'first',
      ]
      expect(machine.output('latchkey', ...create)).toMatch(/^sk_/)
      expect(machine.output('stat', '--format=%U %a', database)).toBe('latchkey 600')
      expect(machine.output('latchkey', 'keys', 'list')).toContain('ann@example.com')
      machine.output('sh', '-c', `rm -r ${dropIns} /etc/latchkey/url; systemctl daemon-reload`)
      expect(machine.output('latchkey', 'keys', 'list')).not.toContain('ann@example.com')
      expect(machine.output('find', '/var/lib/latchkey', '!', '-user', 'latchkey')).toBe('')
    })

    test('O1.2h: a command of root about a file that the user of the services cannot write says so', () => {
      const { code, output } = machine.run('sh', '-c', 'cd /root && latchkey backup first.tar')
      expect([code, output]).toEqual([1, expect.stringContaining('is not accessible to the user latchkey')])
    })

    test('O1.2i: the command of another person names sudo, unless they have an instance of their own', () => {
      const asPerson = (command: string) =>
        machine.run('setpriv', '--reuid=nobody', '--clear-groups', 'sh', '-c', `cd /tmp && ${command}`)
      const list = asPerson('latchkey keys list')
      expect([list.code, list.output]).toEqual([1, expect.stringContaining('sudo latchkey keys list')])
      expect(machine.run('ls', '/tmp/data').code).not.toBe(0)
      const remote = asPerson('LATCHKEY_KEY=sk_none latchkey links list --server http://127.0.0.1:1')
      expect([remote.code, remote.output]).toEqual([1, expect.not.stringContaining('sudo')])
      const create = 'keys create --identity bob@example.com --scope read --title own'
      expect(asPerson(`LINKS_DATABASE_URL=sqlite:own.db latchkey ${create}`)).toMatchObject({ code: 0 })
      expect(machine.output('stat', '--format=%U', '/tmp/own.db')).toBe('nobody')
    })

    test('O1.2j: there are folders for data and backups, of which only the user of the services opens the second', () => {
      const folders = ['/var/lib/latchkey', '/var/backups/latchkey']
      const modes = machine.output('stat', '--format=%a %U', ...folders)
      expect(modes.split('\n')).toEqual(['750 latchkey', '700 latchkey'])
    })

    test('O4.4i: a restore of root stops the services that run, and starts them again', async () => {
      const file = '/var/backups/latchkey/first.tar'
      machine.output('latchkey', 'backup', file)
      const before = mainPid('latchkey-links')
      expect(machine.run('latchkey', 'restore', '/nowhere.tar')).toMatchObject({ code: 1 })
      machine.output('latchkey', 'restore', file, '--replace')
      await until(() => health('links').code === 0)
      expect(mainPid('latchkey-links')).not.toBe(before)
      expect(['links', 'rooms'].map((service) => isActive(`latchkey-${service}.socket`))).toEqual([
        'active',
        'inactive',
      ])
      expect(machine.output('find', '/var/lib/latchkey', '!', '-user', 'latchkey')).toBe('')
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

    test('O1.2f: purging deletes the settings and the secrets, and keeps the data', () => {
      machine.output('touch', '/etc/latchkey/of-a-person')
      machine.output('dpkg', '--purge', 'latchkey')
      expect(machine.output('ls', '/etc/latchkey')).toBe('of-a-person')
      expect(machine.run('find', '/etc/systemd', '-path', '*latchkey*').output).toBe('')
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
