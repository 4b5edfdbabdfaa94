import { describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, normalize } from 'node:path'
import { eventTypes } from '@latchkey/links/events/types'
import { errorCodes, failures, literalTexts } from '@latchkey/links/api/failures'
import { adminOperations } from '@latchkey/links/http/operations'
import { createDocument } from '@latchkey/links/http/reference'
import { declarations as ofLinks } from '@latchkey/links/settings/declarations'
import { readSettings } from '@latchkey/links/settings/settings'
import { reasonCodes } from '@latchkey/links/transfer/reason'
import { failures as ofRoomsFailures } from '@latchkey/rooms/api/failures'
import { createDocument as createRoomsDocument } from '@latchkey/rooms/http/reference'
import { roomEventTypes } from '@latchkey/rooms/messages/schema'
import { declarations as ofRooms } from '@latchkey/rooms/settings/declarations'
import { readSettings as readRoomsSettings } from '@latchkey/rooms/settings/settings'
import { backupSettings } from '../../src/backup/s3/settings.ts'
import { PAGES, ROOT, partsOf } from './page.ts'

const texts = new Map(
  [...PAGES, 'sdks/typescript/README.md', 'sdks/python/README.md'].map((path) => [
    path,
    readFileSync(join(ROOT, path), 'utf8'),
  ]),
)
const blocks = [...texts].flatMap(([path, text]) =>
  partsOf(text).flatMap((part) => ('body' in part ? [{ path, ...part }] : [])),
)

/** Text without its blocks. */
function prose(text: string): string {
  return text.replaceAll(/^( *)```[\s\S]*?^\1```$/gm, '')
}

/** The anchor of a heading, as on GitHub. */
function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
}

function anchorsOf(path: string): string[] {
  const text = prose(texts.get(path) ?? readFileSync(join(ROOT, path), 'utf8'))
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchor(heading))
}

test('every link of a document to a page or heading resolves', () => {
  const broken: string[] = []
  for (const [path, text] of texts)
    for (const [, to = ''] of prose(text).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^(https?|mailto):/.test(to)) continue
      const [file = '', heading] = to.split('#')
      const target = file === '' ? path : normalize(join(dirname(path), file))
      if (!existsSync(join(ROOT, target))) broken.push(`${path}: ${to}`)
      else if (heading !== undefined && !anchorsOf(target).includes(heading)) broken.push(`${path}: ${to}`)
    }
  expect(broken).toEqual([])
})

test('every page is reachable from docs/README.md', () => {
  const reached = new Set(['docs/README.md'])
  // Iteration over a set includes elements added meanwhile.
  for (const path of reached)
    for (const [, to = ''] of prose(texts.get(path) ?? '').matchAll(/\]\(([^)\s#]+\.md)[^)]*\)/g))
      reached.add(normalize(join(dirname(path), to)))
  expect(PAGES.filter((path) => path.startsWith('docs/') && !reached.has(path))).toEqual([])
})

describe('settings', () => {
  const settingNames: string[] = [ofLinks, ofRooms, backupSettings]
    .flatMap((each) => Object.values(each))
    .map(({ name }) => name)
  const kinds = new Set(settingNames.map((name) => name.split('_')[0]))

  test('in documents exist', () => {
    const unknown = [...texts].flatMap(([path, text]) =>
      [...text.matchAll(/\b([A-Z]+)(_[A-Z0-9]+)+\b/g)]
        .filter(([, first]) => kinds.has(first ?? ''))
        .map(([name]) => name.replace(/_FILE$/, ''))
        .filter((name) => !settingNames.includes(name))
        .map((name) => `${path}: ${name}`),
    )
    expect(unknown).toEqual([])
  })

  test('in one block of a document are accepted together', () => {
    const shellBlocks = blocks.filter(({ language }) => language === 'sh')
    expect(shellBlocks.length).toBeGreaterThan(5)
    for (const { path, line, body } of shellBlocks) {
      const lines = linesOf(body)
      const environment = sourceInShell(body)
      const unlike = lines.filter((each) => !/^[A-Z][A-Z0-9_]+=/.test(each))
      const read = () => (isOfRooms(environment) ? readRoomsSettings(environment) : readSettings(environment))
      expect([`${path}:${line}`, unlike, problemOf(read)]).toEqual([`${path}:${line}`, [], ''])
    }
  })

  test('in complete blocks of docs/rooms work with the systemd unit, which sets the file of the client secret', () => {
    const whole = blocks.filter(
      ({ path, language, body }) =>
        path.startsWith('docs/rooms/') && language === 'sh' && body.includes('ALLOWED_HOSTS='),
    )
    expect(whole).toHaveLength(20)
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-credentials-'))
    for (const name of ['auth-client-secret', 'metrics-token'])
      writeFileSync(join(folder, name), 'a'.repeat(48))
    const unit = readFileSync(join(ROOT, 'deploy/systemd/latchkey-rooms.service'), 'utf8')
    const ofUnit = Object.fromEntries(
      [...unit.matchAll(/^Environment=(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [
        name,
        value.replace('%d', folder),
      ]),
    )
    for (const { path, line, body } of whole) {
      const { AUTH_CLIENT_SECRET, ...left } = sourceInShell(body)
      expect(AUTH_CLIENT_SECRET).toBeString()
      const read = (more: object) => () => readRoomsSettings({ ...left, ...ofUnit, ...more })
      expect(read({}), `${path}:${line}`).not.toThrow()
      expect(read({ AUTH_CLIENT_SECRET }), `${path}:${line}`).toThrow('AUTH_CLIENT_SECRET')
    }
    rmSync(folder, { recursive: true })
  })

  function linesOf(body: string): string[] {
    return body.split('\n').filter((each) => each !== '' && !each.startsWith('#'))
  }

  /** The variables of a shell that sources these lines, as commands on the systemd pages do. */
  function sourceInShell(body: string): Record<string, string> {
    const names = linesOf(body).map((each) => each.split('=')[0] ?? '')
    const { stdout } = Bun.spawnSync(['sh', '-c', `set -a\n${body}\nexec env -0`], {
      env: { PATH: process.env['PATH'] ?? '' },
    })
    const all = new Map(
      stdout
        .toString()
        .split('\0')
        .map((each) => each.split(/=(.*)/s, 2) as [string, string]),
    )
    const unset = names.filter((name) => !all.has(name))
    if (unset.length > 0) throw new Error(`A shell that reads the lines does not set ${unset.join(', ')}`)
    return Object.fromEntries(names.map((name) => [name, all.get(name) ?? '']))
  }

  function isOfRooms(environment: Record<string, string>): boolean {
    const own = new Set<string>(Object.values(ofLinks).map(({ name }) => name))
    return Object.keys(environment).some((name) => !own.has(name))
  }

  /**
   * The problem with a block. Missing settings are allowed, because another block may have them.
   */
  function problemOf(read: () => unknown): string {
    try {
      read()
      return ''
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error)
      return /is required|must be set|is missing|is unset/.test(text) ? '' : text
    }
  }
})

test('JSON in documents is valid', () => {
  const bad = blocks
    .filter(({ language, body }) => language === 'json' && !body.includes('…'))
    .filter(({ body }) => {
      try {
        JSON.parse(body)
        return false
      } catch {
        return true
      }
    })
  expect(bad.map(({ path, line }) => `${path}:${line}`)).toEqual([])
})

describe('routes', () => {
  const routesOf = (document: Record<string, unknown>, prefix: string) =>
    Object.entries(document['paths'] as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${prefix}${path}`),
    )
  const patterns = [
    ...routesOf(createDocument('0.0.0'), '/_/api'),
    ...routesOf(createRoomsDocument('0.0.0'), '/api'),
    ...adminOperations.flatMap(({ methods, path }) =>
      methods.map((method) => `${method} /_/admin/api${path}`),
    ),
  ].map((route) => new RegExp(`^${route.replaceAll(/\{\w+\}/g, '[^/ ]+').replaceAll('.', String.raw`\.`)}$`))

  test('that a document names with their method exist', () => {
    const named = [...texts].flatMap(([path, text]) =>
      [...prose(text).matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/[^`\s?]*)/g)].map(([, method, route]) => ({
        path,
        route: `${method} ${route}`,
      })),
    )
    expect(named.length).toBeGreaterThan(0)
    // Pages about other programs name their routes.
    const own = named.filter(
      ({ path, route }) => !/^docs\/(moving-in\/|rooms\/oidc\.md)/.test(path) || route.includes(' /_/'),
    )
    const unknown = own.filter(
      ({ route }) =>
        !patterns.some((pattern) => pattern.test(route) || pattern.test(route.replace(' ', ' /_/api'))),
    )
    expect(unknown).toEqual([])
  })
})

test('commands in documents exist', async () => {
  const child = Bun.spawn(['bun', join(ROOT, 'apps/latchkey/src/latchkey.ts'), '--help'], { stdout: 'pipe' })
  const help = await new Response(child.stdout).text()
  const commands = [...help.matchAll(/^ {2}latchkey ((?:[a-z]+ ?)+)/gm)].map(([, words = '']) => words.trim())
  expect(commands).toContain('rooms admin grant')
  const unknown = [...texts].flatMap(([path, text]) =>
    [...text.matchAll(/\bnpx latchkey ((?:[a-z|]+ ?)+)/g)]
      .flatMap(([, words = '']) => spelledOut(words.trim().split(' ')))
      .filter((words) => !commands.some((command) => `${words} `.startsWith(`${command} `)))
      .map((words) => `${path}: latchkey ${words}`),
  )
  expect(unknown).toEqual([])
})

test('metrics in documents are listed on the metrics page', () => {
  const page = texts.get('docs/operate/metrics-and-alerts.md') ?? ''
  const listed = [...page.matchAll(/^(latchkey_(?:links|rooms)_\w+) [A-Z0-9]/gm)].map(([, name]) => name)
  const unknown = [...texts].flatMap(([path, text]) =>
    [...text.matchAll(/\blatchkey_(?:links|rooms)_\w+/g)]
      .filter(([name]) => !listed.includes(name.replace(/_(bucket|sum|count)$/, '')))
      .map(([name]) => `${path}: ${name}`),
  )
  expect(unknown).toEqual([])
})

/** Expands `keys create|list` to two commands. */
function spelledOut(words: readonly string[]): string[] {
  return words.reduce<string[]>(
    (all, word) => all.flatMap((before) => word.split('|').map((each) => `${before} ${each}`.trim())),
    [''],
  )
}

test('L25.6: docs/api/errors.md lists every error of Links with its status, text and code', () => {
  const page = texts.get('docs/api/errors.md') ?? ''
  const listed = [...page.matchAll(/^\| (\d{3}) +\| `([^|]+?)` +\| `(\w+)` +\|/gm)].map(
    ([, status, text, code]) => `${status} ${text} ${code}`,
  )
  const all = Object.entries(failures).map(([code, { status, text }]) => `${status} ${text} ${code}`)
  expect(listed.toSorted()).toEqual(all.toSorted())
  const [codeList = ''] = /^`url_required`[^]+?\n\n/m.exec(page) ?? []
  const own = [...codeList.matchAll(/`(\w+)`/g)].map(([, code = '']) => code)
  expect(own).toEqual(errorCodes.filter((code) => !Object.hasOwn(failures, code)))
  const sentences = [...page.matchAll(/^- `(.+)`$/gm)].map(([, text = '']) => text)
  expect(sentences.toSorted()).toEqual([...literalTexts].toSorted())
})

/** The first cells of the tables below a heading, each of which may name several things. */
function namedBelow(path: string, heading: string): string[] {
  const [, section = ''] = (texts.get(path) ?? '').split(`\n## ${heading}\n`)
  return [...(section.split('\n## ')[0] ?? '').matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+\.[^`]+)`/g)].map(([, name = '']) => name),
  )
}

test('every type of event has a row in a document', () => {
  expect(namedBelow('docs/api/events.md', 'Types of events').toSorted()).toEqual(eventTypes.toSorted())
  const ofRoomsPage = ['Events of rooms', 'Events of messages'].flatMap((heading) =>
    namedBelow('docs/rooms/api.md', heading),
  )
  // The sentence above the table of messages.
  expect([...ofRoomsPage, 'message.created', 'message.edited'].toSorted()).toEqual(roomEventTypes.toSorted())
})

test('L25.7: docs/moving-in/README.md lists every code of a reason', () => {
  const [, section = ''] = (texts.get('docs/moving-in/README.md') ?? '').split('\n## Codes of reasons\n')
  const cells = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| (`[^|]+) \|/gm)].map(
    ([, cell = '']) => cell,
  )
  const listed = cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, code = '']) => code))
  expect(listed.toSorted()).toEqual(reasonCodes.toSorted())
})

test('R15.2: docs/rooms/api.md lists every error of Rooms with its status, code and text', () => {
  const listed = [
    ...(texts.get('docs/rooms/api.md') ?? '').matchAll(/^\| (\d{3}) +\| `(\w+)` +\| (.+?) +\|$/gm),
  ]
  const all = Object.entries(ofRoomsFailures).map(([code, { status, text }]) => `${status} ${code} ${text}`)
  expect(listed.map(([, ...cells]) => cells.join(' ')).toSorted()).toEqual(all.toSorted())
})

test('every parameter of a query has a description in the OpenAPI document', () => {
  interface Parameter {
    name: string
    in: string
    description?: string
    schema: { $ref?: string }
  }
  const silent = [createDocument('0.0.0'), createRoomsDocument('0.0.0')].flatMap((api) => {
    const { paths, components } = api as {
      paths: Record<string, Record<string, { operationId: string; parameters?: Parameter[] }>>
      components: { schemas: Record<string, { description?: string }> }
    }
    const descriptionOf = ({ description, schema: { $ref = '' } }: Parameter) =>
      description ?? components.schemas[$ref.replace('#/components/schemas/', '')]?.description
    return Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap(({ operationId, parameters = [] }) =>
        parameters
          .filter((parameter) => parameter.in === 'query' && descriptionOf(parameter) === undefined)
          .map(({ name }) => `${operationId} ${name}`),
      )
  })
  expect(silent).toEqual([])
})

test('every parameter of the admin API is named in a document', () => {
  const pages = ['docs/api/admin.md', 'docs/api/links.md', 'docs/analytics.md', 'docs/specification/links.md']
  const code = pages.flatMap((path) => texts.get(path)?.match(/`[^`\n]+`/g) ?? []).join(' ')
  const names = adminOperations.flatMap(({ query }) =>
    Object.keys((query as { shape?: object })?.shape ?? {}),
  )
  expect(names.length).toBeGreaterThan(100)
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(code))).toEqual([])
})

test('every setting has a row in docs/operate/settings.md and in a specification', () => {
  const page = texts.get('docs/operate/settings.md') ?? ''
  const specifications = ['links', 'rooms', 'sign-in', 'operating'].map((name) =>
    readFileSync(join(ROOT, `docs/specification/${name}.md`), 'utf8'),
  )
  const names = [ofLinks, ofRooms, backupSettings]
    .flatMap((each) => Object.values(each))
    .map(({ name }) => name)
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
  expect(names.filter((name) => !specifications.some((text) => text.includes(name)))).toEqual([])
})
