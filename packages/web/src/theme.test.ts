import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const css = readFileSync(join(import.meta.dirname, 'theme.css'), 'utf8')

/** The colour tokens of a scheme in theme.css, by their names without dashes. */
function tokensOf(scheme: 'light' | 'dark'): Record<string, string> {
  const block = new RegExp(`^:root\\[data-mantine-color-scheme='${scheme}'\\] \\{([^}]*)\\}`, 'm').exec(css)
  return Object.fromEntries(
    [...(block?.[1] ?? '').matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, ...e]) => e),
  )
}

type Rgb = [number, number, number]

function linear(hex: string): Rgb {
  const channel = (at: number) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return [channel(1), channel(3), channel(5)]
}

const luminance = ([red, green, blue]: Rgb) => 0.2126 * red + 0.7152 * green + 0.0722 * blue

/** The contrast ratio of WCAG 2.2. */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(linear(one)), luminance(linear(other))].toSorted((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

/** Vision without a kind of cone, in linear RGB: Machado, Oliveira and Fernandes 2009, severity 1. */
const VISIONS: Record<string, readonly [Rgb, Rgb, Rgb]> = {
  full: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
}

/** The difference of two colours in OKLab, times 100: 2 is just noticeable. */
function difference(one: string, other: string, vision: readonly [Rgb, Rgb, Rgb]): number {
  const [a, b] = [one, other].map((hex) => oklab(linear(hex), vision))
  return 100 * Math.hypot(...(a ?? []).map((value, index) => value - (b?.[index] ?? 0)))
}

function oklab(colour: Rgb, vision: readonly [Rgb, Rgb, Rgb]): number[] {
  const times = (row: Rgb, by: readonly number[]) =>
    row.reduce((sum, part, at) => sum + part * (by[at] ?? 0), 0)
  const seen = vision.map((row) => Math.min(1, Math.max(0, times(row, colour))))
  const cones = (
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ] as const
  ).map((row) => Math.cbrt(times([...row], seen)))
  return (
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ] as const
  ).map((row) => times([...row], cones))
}

const SURFACES = ['surface-0', 'surface-1', 'surface-2', 'surface-sunken', 'surface-hover']
const TEXTS = ['text', 'text-dimmed', 'accent-text', 'positive', 'negative', 'warning']
const CHARTS = [1, 2, 3, 4, 5, 6].map((number) => `chart-${number}`)

for (const scheme of ['light', 'dark'] as const) {
  const tokens = tokensOf(scheme)
  const colour = (name: string) => tokens[name] ?? `no token ${name}`

  test(`text tokens have a contrast of 4.5 on every surface, ${scheme}`, () => {
    for (const text of TEXTS)
      for (const surface of SURFACES) {
        const ratio = contrast(colour(text), colour(surface))
        expect([text, surface, ratio, ratio >= 4.5]).toEqual([text, surface, ratio, true])
      }
  })

  test(`chart tokens have a contrast of 3 on cards, ${scheme}`, () => {
    for (const name of [...CHARTS, 'chart-compare']) {
      const ratio = contrast(colour(name), colour('surface-1'))
      expect([name, ratio, ratio >= 3]).toEqual([name, ratio, true])
    }
  })

  test(`chart tokens differ also without red, green or blue cones, ${scheme}`, () => {
    const pairs = CHARTS.flatMap((one, index) =>
      CHARTS.slice(index + 1).map((other) => [one, other] as const),
    )
    for (const [vision, matrix] of Object.entries(VISIONS))
      for (const [one, other] of pairs) {
        const apart = difference(colour(one), colour(other), matrix)
        expect([vision, one, other, apart, apart >= 8]).toEqual([vision, one, other, apart, true])
      }
  })
}
