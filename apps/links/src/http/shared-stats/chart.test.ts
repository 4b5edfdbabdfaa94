import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { renderChart } from './chart.ts'
import { STYLES } from './styles.ts'
import { chooseWording } from './wording.ts'

const wording = chooseWording('en-GB')
const chart = (labels: string[], count = 1) =>
  renderChart(
    labels.map((label) => ({ label, count })),
    wording,
  )
const namesOf = (html: string) =>
  Array.from(html.matchAll(/<th scope="row">(.*?)<\/th>/g), ([, name]) => name)

test('L41.4: bars are named by their hour, day, week or month, and those that are not complete say so', () => {
  expect(namesOf(chart(['2026-11-23 22', '2026-11-23 23', '2026-11-24 00']))).toEqual([
    '23 Nov, 22:00 (partial)',
    '23 Nov, 23:00',
    '24 Nov, 00:00 (so far)',
  ])
  expect(namesOf(chart(['2026-11-22', '2026-11-23', '2026-11-24']))[1]).toBe('23 Nov')
  expect(namesOf(chart(['2026-11-09', '2026-11-16', '2026-11-23']))[1]).toBe('Week of 16 Nov')
  expect(namesOf(chart(['2026-09', '2026-10', '2026-11']))[1]).toBe('Oct 2026')
})

test('L41.4: the table has the clicks of all bars, and the bars end below the scale', () => {
  for (const count of [1, 7, 999, 12_345, 1_000_000]) {
    const html = chart(['2026-11-23', '2026-11-24'], count)
    expect(html.split(`<td>${count.toLocaleString('en-GB')}</td>`)).toHaveLength(3)
    const heights = Array.from(html.matchAll(/class="bar[^>]* height="([\d.]+)"/g), ([, height]) =>
      Number(height),
    )
    expect(heights.every((height) => height >= 50 && height <= 200)).toBe(true)
  }
})

test('without clicks there is a sentence instead of a chart', () => {
  expect([chart([]), chart(['2026-11-24'], 0)]).toEqual(
    Array.from({ length: 2 }, () => '<p class="none">No clicks in this period</p>'),
  )
})

test('colours are those of the design, in both schemes', () => {
  const theme = readFileSync(join(import.meta.dirname, '../../../../../packages/web/src/theme.css'), 'utf8')
  const tokensOf = (css: string) =>
    Object.fromEntries(css.matchAll(/(--[\w-]+): (#\w+);/g).map(([, name, value]) => [name, value]))
  const [light = {}, dark = {}] = ['light', 'dark'].map((scheme) =>
    tokensOf(theme.split(`[data-mantine-color-scheme='${scheme}'] {`)[1]?.split('}')[0] ?? ''),
  )
  const [own = {}, ownDark = {}] = STYLES.split('@media (prefers-color-scheme: dark)', 2).map(tokensOf)
  expect(Object.keys(own).length).toBeGreaterThan(8)
  expect(light).toMatchObject(own)
  expect(dark).toMatchObject(ownDark)
  expect(Object.keys(ownDark)).toEqual(Object.keys(own))
})
