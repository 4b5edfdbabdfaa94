import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseAnswers, readAnswers } from '../src/setup/answers.ts'
import { formatLine, parseEnvFile } from '../src/setup/env-file.ts'
import type { Machine } from '../src/setup/plan.ts'
import { makePlan } from '../src/setup/plan.ts'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-answers-'))
afterAll(() => rmSync(folder, { recursive: true }))
const secretFile = join(folder, 'client-secret')
writeFileSync(secretFile, 'the-secret-of-the-client\n')
writeFileSync(join(folder, 'empty'), '\n')

const GOOD = {
  HOST_OF_LINKS: 'go.example.com',
  HOST_OF_ROOMS: 'rooms.example.com',
  PROVIDER: 'keycloak',
  OIDC_ISSUER: 'https://login.example.com/realms/harbour',
  AUTH_CLIENT_SECRET_FILE: secretFile,
  EMAIL: 'ann@example.com',
}
const MACHINE: Machine = { install: 'systemd', proxy: 'caddy', root: folder, readSecret: () => undefined }

function problemOf(changes: Record<string, string>): string {
  try {
    makePlan(readAnswers({ ...GOOD, ...changes }), MACHINE)
  } catch (error) {
    return (error as Error).message
  }
  return ''
}

describe('O2.1b: a wrong answer', () => {
  test('is none of those that are right', () => {
    expect(problemOf({})).toBe('')
  })

  test.each([
    [
      'HOST_OF_LINKS',
      'https://go.example.com',
      'must be a host name without scheme, port and path, not "https',
    ],
    ['HOST_OF_LINKS', '', 'HOST_OF_LINKS is required'],
    ['HOST_OF_ROOMS', '10.0.0.1', 'must be a host name without scheme'],
    ['HOST_OF_ROOMS', 'GO.example.com', 'must differ from HOST_OF_LINKS'],
    ['PROVIDER', 'keyclaok', 'did you mean keycloak?'],
    ['PROVIDER', 'okta', 'must be one of authelia, authentik, dex'],
    ['EMAIL', 'ann', 'must be an email address'],
    ['EMAIL', 'ann@example.com{', 'must be an email address'],
    ['DATA', 'data', 'must be an absolute path'],
    ['DATA', '/srv/../etc', 'without .. in it'],
    ['DATA', '/srv/a b', 'must be an absolute path'],
    ['DATA', '/home/ann/data', 'outside of /home'],
    ['INSTALL', 'system', 'did you mean systemd?'],
    ['PROXY', 'ngnix', 'did you mean nginx?'],
    ['CERTIFICATE', '/etc/ssl/a.pem', 'CERTIFICATE_KEY is required with CERTIFICATE'],
    ['CERTIFICATE_KEY', 'a.key', 'must be an absolute path'],
    ['AUTHORITY', 'ca.pem', 'must be an absolute path'],
    ['GROUP_OF_PEOPLE', ' ', 'must be the name of a group'],
    ['TENANT', '9122040d-6c67-4c5b-b112-36a304b66dad', 'TENANT is not asked for Keycloak'],
    ['OIDC_ISSUER', 'login.example.com', 'OIDC_ISSUER must be an absolute https URL'],
    ['OIDC_ISSUER', '', 'OIDC_ISSUER is required for Keycloak'],
    ['OIDC_ISSUER', 'http://login.example.com', 'OIDC_ISSUER must be https beyond this machine'],
    ['AUTH_CLIENT_SECRET', 'hunter22hunter22', 'name the file that holds it, with AUTH_CLIENT_SECRET_FILE'],
    ['AUTH_CLIENT_SECRET_FILE', join(folder, 'missing'), 'cannot be read'],
    ['AUTH_CLIENT_SECRET_FILE', join(folder, 'empty'), 'is empty in the file'],
    ['LINKS_PORT', '99999', 'LINKS_PORT must be a whole number from 0 to 65535'],
    ['ROOMS_VOICE', 'mash', 'ROOMS_VOICE must be one of off, mesh, livekit'],
    ['ROOMS_RETENTION', '500', ''],
    ['LINKS_BASE_URL', 'https://go.example.com', 'LINKS_BASE_URL follows from HOST_OF_LINKS'],
    ['ALLOWED_HOSTS', 'https://rooms.example.com', 'ALLOWED_HOSTS follows from HOST_OF_ROOMS'],
  ])('%s=%s is named with its fault', (name, value, fault) => {
    expect(problemOf({ [name]: value })).toContain(fault)
  })

  test.each([
    ['HOST_OF_LINK', 'HOST_OF_LINKS'],
    ['PROVDER', 'PROVIDER'],
    ['email', 'EMAIL'],
    ['LINKS_PROT', 'LINKS_PORT'],
    ['AUTH_CLIENT_SECRET_FIEL', 'AUTH_CLIENT_SECRET_FILE'],
    ['ROOMS_VIOCE', 'ROOMS_VOICE'],
  ])('%s is unknown, and the nearest name is %s', (name, nearest) => {
    expect(problemOf({ [name]: 'x' })).toContain(
      `${name} is neither a question of setup nor a setting; did you mean ${nearest}?`,
    )
  })

  test('comes with all others at once', () => {
    const message = problemOf({
      HOST_OF_LINKS: 'a b',
      EMAIL: 'x',
      PROXI: 'caddy',
      LINKS_PORT: 'x',
      OIDC_ISSUER: 'y',
    })
    for (const name of ['HOST_OF_LINKS', 'EMAIL', 'PROXI', 'LINKS_PORT', 'OIDC_ISSUER'])
      expect(message).toContain(`\n  ${name} `)
  })

  test('of the combination of settings is what the service itself says', () => {
    expect(problemOf({ ROOMS_BUS_URL_FILE: secretFile })).toContain('ROOMS_BUS_URL')
    expect(problemOf({ AUTH_ADMIN_CLAIM_PATH: 'a..b' })).toContain('AUTH_ADMIN_CLAIM_PATH must be a dot path')
  })

  test('never appears if it is a secret', () => {
    const message = problemOf({
      AUTH_CLIENT_SECRET: 'hunter22hunter22',
      ROOMS_METRICS_TOKEN_FILE: secretFile,
      EMAIL: 'x',
    })
    expect(message).not.toContain('hunter22')
    expect(message).not.toContain('the-secret-of-the-client')
  })
})

describe('O2.1a: a file of NAME=value lines', () => {
  test('may have quotes, comments and empty lines', () => {
    const text = `# A comment\n\nA=1\nB='two words'\nC="three \\"words\\" \\$"\nexport D=x=y\r\nE=\n`
    expect(parseEnvFile(text)).toEqual({
      values: { A: '1', B: 'two words', C: 'three "words" $', D: 'x=y', E: '' },
      faults: [],
    })
  })

  test('is refused with the number of a wrong line, which is not printed', () => {
    for (const [text, fault] of [
      ['A=1\nhunter22', 'line 2 is not NAME=value'],
      ["A='hunter22", 'line 1 is not NAME=value'],
      ['A="hunter22" b', 'line 1 is not NAME=value'],
      ['A=1\nA=hunter22', 'line 2 has A again'],
      ['{"A": "hunter22"}', 'line 1 is not NAME=value'],
    ] as const) {
      const read = () => parseAnswers(text, 'answers.env')
      expect(read).toThrow(`answers.env ${fault}`)
      expect(read).not.toThrow('hunter22')
    }
  })

  test('is read by a shell as setup formats it', () => {
    const values = ['plain', 'two words', "it's", '"$HOME" `x` \\', 'a|b=c, d', '#x', 'ä', '~', '*']
    const lines = values.map((value, index) => formatLine(`V${index}`, value))
    const { stdout } = Bun.spawnSync([
      'sh',
      '-c',
      `${lines.join('\n')}\nprintf '%s\\n' ${values.map((_, index) => `"$V${index}"`).join(' ')}`,
    ])
    expect(stdout.toString().split('\n').slice(0, -1)).toEqual(values)
    expect(Object.values(parseEnvFile(lines.join('\n')).values)).toEqual(values)
  })
})
