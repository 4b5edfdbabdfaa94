import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorCodes } from '@latchkey/links/api/failures'
import { failures } from '@latchkey/rooms/api/failures'
import { LOGIN_ERRORS } from '@latchkey/rooms/login/provider'
import { ROOT } from './page.ts'

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** The text below a heading, until the next one of its level. */
function section(path: string, heading: string): string {
  const [, below = ''] = read(path).split(`\n## ${heading}\n`)
  return below.split('\n## ')[0] ?? ''
}

test('O6.1: the first screen of the README has pictures, one command, for whom, promises and what is missing', () => {
  const screen = read('README.md').split('\n## ')[0] ?? ''
  expect(screen.split('\n').length).toBeLessThan(80)
  const parts = ['$ npm start\n', '**Who it is for**', '**What it promises**', '**What it does not do**']
  expect(parts.filter((part) => !screen.includes(part))).toEqual([])
  const pictures = [...screen.matchAll(/docs\/images\/([\w-]+\.png)/g)].map(([, name = '']) => name)
  expect(pictures).toEqual(['links-dark.png', 'links.png', 'rooms-dark.png', 'rooms.png'])
  expect(pictures.filter((name) => !existsSync(join(ROOT, 'docs/images', name)))).toEqual([])
})

test('O6.2: the comparison names a source for each program', () => {
  const [comparison = ''] = read('docs/compare.md').split('\n## Sources\n')
  const programs = [...comparison.matchAll(/^- \*\*Choose (\S+)\*\*/gm)].map(([, name = '']) => name)
  expect(programs.length).toBeGreaterThan(10)
  const sources = section('docs/compare.md', 'Sources')
  const others = programs.filter((name) => name !== 'Links' && name !== 'Rooms')
  expect(others.filter((name) => !sources.includes(`- **${name}**`))).toEqual([])
})

describe('O6.3: under an anchor of its own, a page explains', () => {
  const anchors = (path: string) =>
    [...read(path).matchAll(/<a id="(\w+)"><\/a>`(\w+)`/g)].map(([, id, code = '']) =>
      id === code ? code : `${id} at ${code}`,
    )

  test('every error code of Links once', () => {
    expect(anchors('docs/errors/links.md').toSorted()).toEqual(errorCodes.toSorted())
  })

  test('every error code of Rooms once', () => {
    expect(anchors('docs/errors/rooms.md').toSorted()).toEqual(Object.keys(failures).toSorted())
  })

  test('every code of a failed sign-in', () => {
    const page = read('docs/rooms/troubleshooting.md')
    expect(LOGIN_ERRORS.filter((code) => !page.includes(`\n## \`${code}\`\n`))).toEqual([])
  })
})

test('O6.4: the page of sizes links a measurement for each work of a processor', () => {
  const rows =
    section('docs/operate/sizing.md', 'Processor')
      .match(/^\| \S.*$/gm)
      ?.slice(1) ?? []
  expect(rows.length).toBeGreaterThan(5)
  expect(rows.filter((row) => !/^\| -+|\/results\.md\)|the same/.test(row))).toEqual([])
})

test('O6.5: every metric to watch has an alert', () => {
  const path = 'docs/operate/metrics-and-alerts.md'
  const watched = section(path, 'What to watch').match(/\blatchkey_\w+/g) ?? []
  expect(watched.length).toBeGreaterThan(8)
  const [, rules = ''] = /^groups:\n([\s\S]+?)^```/m.exec(read(path)) ?? []
  expect(watched.filter((name) => !rules.includes(name))).toEqual([])
})
