import { expect, test } from 'bun:test'
import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { LOGIN_ERRORS } from '../../src/login/provider.ts'
import { DEFAULT_LIMITS } from '../../src/api/limits.ts'
import { declarations } from '../../src/settings/declarations.ts'

const ROOT = join(import.meta.dir, '../../../..')
const FOLDER = join(ROOT, 'docs/rooms')
const pages = readdirSync(FOLDER).map((name) => ({ name, text: readFileSync(join(FOLDER, name), 'utf8') }))
const troubleshooting = pages.find(({ name }) => name === 'troubleshooting.md')?.text ?? ''

function source(): string {
  const files = new Bun.Glob('apps/rooms/src/{login,http,sessions}/*.ts').scanSync({ cwd: ROOT })
  return [...files].map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n')
}

/** The texts between backticks, without blocks. */
function codes(text: string): string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, '')
  return [...prose.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
}

test('every login failure has its paragraph, and no other does', () => {
  const headings = [...troubleshooting.matchAll(/^## `(\w+)`$/gm)].map(([, code = '']) => code)
  expect(headings.toSorted()).toEqual(LOGIN_ERRORS.toSorted())
})

test('every reason that the page explains is one that the log can have', () => {
  const text = source()
  const reasons = codes(troubleshooting)
    .map((code) => code.replace(/^"message":/, '').replaceAll('"', ''))
    .filter((code) => code.includes(' '))
  expect(reasons.length).toBeGreaterThan(30)
  const unknown = reasons.filter((reason) => {
    const template = reason
      .replace(/^(discovery|jwks|token|userinfo) (?=does|answer too)/, '${endpoint} ')
      .replace(/^(discovery|jwks|token|userinfo) (?=not called)/, '${call.endpoint} ')
      .replace(/(?<=of the )(discovery|jwks|token|userinfo) (?=host)/, '${endpoint} ')
      .replace(
        /^id token (?=algorithm|signature|encrypted|malformed|audience|has an audience|authorized|issuer)/,
        '${what} ',
      )
      .replace(/^(refused by the provider: )[a-z_]+$/, '$1${error}')
      .replace(/^(condition not met: ).+$/, '$1${condition')
    return !text.includes(reason) && !text.includes(template)
  })
  expect(unknown).toEqual([])
})

test('every setting and limit that the pages name exists', () => {
  const settings = new Set<string>(Object.values(declarations).map(({ name }) => name))
  // Settings of Bun.
  settings.add('NODE_EXTRA_CA_CERTS')
  const named = pages.flatMap(({ text }) =>
    [...text.matchAll(/\b[A-Z]+_[A-Z0-9_]+\b/g)].map(([name]) => name),
  )
  // Names in the example of another product.
  const own = named.filter((name) => !name.startsWith('GLEWLWYD'))
  expect(own.filter((name) => !settings.has(name.replace(/_FILE$/, '')))).toEqual([])
  const limits = pages
    .flatMap(({ text }) => codes(text))
    .flatMap((code) => /^([a-z]+_[a-z_]+_(?:minute|hour|prefix|total))\b/.exec(code)?.[1] ?? [])
  expect(limits.length).toBeGreaterThan(4)
  expect(limits.filter((name) => !Object.hasOwn(DEFAULT_LIMITS, name))).toEqual([])
})

test('every page that a page links to exists', () => {
  for (const { name, text } of pages)
    for (const [, to = ''] of text.matchAll(/\]\((?!https:)([^)#]+)/g))
      expect([name, to, readFileSync(join(FOLDER, dirname(name), to)).length > 0]).toEqual([name, to, true])
})
