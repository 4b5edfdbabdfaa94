import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bearerToken, headerName, httpUrl, integer, oneOf } from './kinds.ts'
import { settingsTable } from './reference.ts'
import { type Declarations, type Environment, type Rule, SettingsError, parseSettings } from './settings.ts'
import { findUnknownSettings } from './unknown.ts'

const declarations = {
  port: {
    name: 'APP_PORT',
    kind: integer(0, 65535),
    default: '8080',
    sentence: 'Port to listen on',
    example: '80',
  },
  mode: { name: 'APP_MODE', kind: oneOf(['a', 'b']), default: 'a', sentence: 'Mode', example: 'b' },
  keys: { name: 'APP_KEYS_URL', kind: httpUrl(), sentence: 'Keys; needs APP_MODE=b', example: 'https://k' },
  header: {
    name: 'APP_HEADER',
    kind: headerName(),
    whenUnset: 'from APP_MODE',
    sentence: 'A|B',
    example: 'X',
  },
  token: { name: 'APP_TOKEN', kind: bearerToken(), sentence: 'Token', example: '5f0c', secret: true },
} satisfies Declarations

const keysNeedModeB: Rule<typeof declarations> = {
  settings: ['keys', 'mode'],
  problem: ({ keys, mode }) => (keys !== null && mode !== 'b' ? 'works only with APP_MODE=b' : null),
}

const SECRET = 's3cret-of-sixteen'
const folder = mkdtempSync(join(tmpdir(), 'settings-'))
afterAll(() => rmSync(folder, { recursive: true }))

function fileWith(content: string): string {
  const path = join(folder, crypto.randomUUID())
  writeFileSync(path, content)
  return path
}

function failureOf(env: Environment): SettingsError {
  try {
    parseSettings(declarations, env, [keysNeedModeB])
  } catch (error) {
    if (error instanceof SettingsError) return error
    throw error
  }
  throw new Error('The settings were accepted')
}

describe('reading', () => {
  test('unset settings have their defaults, or null', () => {
    const values = parseSettings(declarations, {})
    expect(values).toEqual({ port: 8080, mode: 'a', keys: null, header: null, token: null })
  })

  test('an empty variable is unset, for plain settings, secrets and their files', () => {
    const env = { APP_PORT: '', APP_MODE: '', APP_TOKEN: '', APP_TOKEN_FILE: '' }
    expect(parseSettings(declarations, env)).toEqual(parseSettings(declarations, {}))
  })

  test('a port that Kubernetes set for a service of the same name is unset', () => {
    const APP_PORT = 'tcp://10.96.0.7:8080'
    expect(parseSettings(declarations, { APP_PORT, APP_SERVICE_HOST: '10.96.0.7' }).port).toBe(8080)
    expect(() => parseSettings(declarations, { APP_PORT })).toThrow(SettingsError)
    expect(parseSettings(declarations, { APP_PORT: '1', APP_SERVICE_HOST: '10.96.0.7' }).port).toBe(1)
  })

  test('values are typed', () => {
    const values = parseSettings(declarations, { APP_PORT: '1', APP_MODE: 'b' })
    const port: number = values.port
    const mode: 'a' | 'b' = values.mode
    expect([port, mode]).toEqual([1, 'b'])
  })

  test('a default that its own kind refuses is a TypeError', () => {
    const wrong = { port: { ...declarations.port, default: 'x' } }
    expect(() => parseSettings(wrong, {})).toThrow(TypeError)
  })
})

describe('problems', () => {
  test('all are reported at once, each with name, problem and example', () => {
    const error = failureOf({ APP_PORT: '99999', APP_MODE: 'c', APP_HEADER: 'a b' })
    expect(error.problems).toEqual([
      {
        name: 'APP_PORT',
        problem: 'must be a whole number from 0 to 65535, not "99999"',
        example: '80',
      },
      { name: 'APP_MODE', problem: 'must be one of a, b, not "c"', example: 'b' },
      {
        name: 'APP_HEADER',
        problem: 'must be a name of letters, digits and dashes (an RFC 9110 token), not "a b"',
        example: 'X',
      },
    ])
    expect(error.message.split('\n')).toHaveLength(4)
    expect(error.message).toContain(
      'APP_PORT must be a whole number from 0 to 65535, not "99999". Example: APP_PORT=80',
    )
  })

  test('a rule between settings is reported with the others', () => {
    const error = failureOf({ APP_PORT: 'x', APP_KEYS_URL: 'https://k' })
    expect(error.problems.map(({ name }) => name)).toEqual(['APP_PORT', 'APP_KEYS_URL'])
    expect(error.message).toContain('APP_KEYS_URL works only with APP_MODE=b')
  })

  test('a rule is not checked while one of its settings is invalid', () => {
    for (const env of [{ APP_KEYS_URL: 'https://k', APP_MODE: 'B' }, { APP_KEYS_URL: 'k' }])
      expect(failureOf(env).problems).toHaveLength(1)
  })

  test('control characters of an invalid value are escaped, and long values are cut', () => {
    expect(failureOf({ APP_MODE: '\u001b[2J\n' }).message).toContain('not "\\u001b[2J\\n"')
    expect(failureOf({ APP_MODE: 'x'.repeat(5000) }).message.length).toBeLessThan(200)
  })

  test('an invalid value that could be a URL with a password is not printed', () => {
    const { message } = failureOf({ APP_KEYS_URL: 'https://user:hunter2@k.example' })
    expect(message).toContain('APP_KEYS_URL must be')
    expect(message).not.toContain('hunter2')
  })
})

describe('secrets', () => {
  test('a secret may come from a file, without its last line end', () => {
    for (const ending of ['', '\n', '\r\n'])
      expect(parseSettings(declarations, { APP_TOKEN_FILE: fileWith(`${SECRET}${ending}`) }).token).toBe(
        SECRET,
      )
  })

  test('only secrets may come from a file', () => {
    expect(parseSettings(declarations, { APP_PORT_FILE: fileWith('1') }).port).toBe(8080)
  })

  test('a secret that is set twice is a problem, even with the same value', () => {
    const { message } = failureOf({ APP_TOKEN: SECRET, APP_TOKEN_FILE: fileWith(SECRET) })
    expect(message).toContain('APP_TOKEN is given twice, also as APP_TOKEN_FILE')
    expect(message).not.toContain(SECRET)
  })

  test('a missing, unreadable or empty file is a problem, never an unset secret', () => {
    for (const path of [join(folder, 'none'), folder, fileWith(''), fileWith('\n')])
      expect(failureOf({ APP_TOKEN_FILE: path }).problems.map(({ name }) => name)).toEqual(['APP_TOKEN'])
  })

  test('neither an invalid secret nor the text in place of its path is printed', () => {
    for (const env of [
      { APP_TOKEN: 'hunter2 with blanks' },
      { APP_TOKEN_FILE: 'hunter2' },
      { APP_TOKEN_FILE: fileWith('hunter2 with blanks') },
    ]) {
      const error = failureOf(env)
      expect(error.message).toContain('APP_TOKEN')
      expect(`${error.message}${error.stack}${JSON.stringify(error)}`).not.toContain('hunter2')
    }
  })
})

const unknown = (env: Environment) => findUnknownSettings(declarations, env, ['APP_'])

describe('unknown settings', () => {
  test('a typing error is reported with the nearest setting', () => {
    expect(unknown({ APP_PROT: '1' })).toEqual([
      'APP_PROT is not a setting and is ignored; did you mean APP_PORT?',
    ])
    expect(unknown({ APP_TOKEN_FIL: 'x' })[0]).toContain('did you mean APP_TOKEN_FILE?')
  })

  test('a name unlike any setting is reported without one', () => {
    expect(unknown({ APP_SOMETHING: '1' })).toEqual(['APP_SOMETHING is not a setting and is ignored'])
  })

  test('settings, empty variables and names of other programs are not reported', () => {
    const env = { APP_PORT: '1', APP_TOKEN_FILE: 'x', APP_OLD: '', PATH: '/bin', APPLE: '1', MY_APP_X: '1' }
    expect(unknown(env)).toEqual([])
  })

  test('values are never printed', () => {
    expect(unknown({ APP_TOKENS: 'hunter2' }).join('')).not.toContain('hunter2')
  })
})

describe('reference', () => {
  test('the Markdown table has a row for every setting, all of the same width', () => {
    const lines = settingsTable(declarations).split('\n')
    expect(lines).toHaveLength(2 + Object.keys(declarations).length)
    expect(new Set(lines.map((line) => line.length)).size).toBe(1)
    expect(lines[5]).toContain('| from `APP_MODE` | A\\|B ')
    expect(lines[6]).toContain('may be given as `APP_TOKEN_FILE`')
  })
})
