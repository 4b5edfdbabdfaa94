import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brandFiles, brandMark } from './brand.ts'

const theme = readFileSync(join(import.meta.dirname, 'theme.css'), 'utf8')

/** Width and height in the header of a PNG. */
function sizeOf(png: Uint8Array): string {
  expect(Buffer.from(png.slice(1, 4)).toString()).toBe('PNG')
  const header = new DataView(png.buffer, png.byteOffset)
  return `${header.getUint32(16)}x${header.getUint32(20)}`
}

test.each(['links', 'rooms'] as const)(
  'the manifest of %s names icons that exist in their sizes, and the colours of the design',
  async (product) => {
    const files = brandFiles({ product, name: 'Latchkey', shortName: 'Latchkey', startUrl: '/start' })
    const served: Record<string, () => Response> = files
    const manifest = (await files['manifest.webmanifest']().json()) as {
      start_url: string
      display: string
      background_color: string
      theme_color: string
      icons: { src: string; sizes: string; type: string; purpose?: string }[]
    }
    expect(manifest).toMatchObject({ start_url: '/start', display: 'standalone' })
    expect(theme).toContain(`--surface-0: ${manifest.background_color};`)
    expect(brandMark(product)).toContain(`fill="${manifest.theme_color}"`)
    // What browsers ask of an app that can be installed.
    expect(manifest.icons.map(({ sizes }) => sizes)).toEqual(['any', '192x192', '512x512'])
    expect(manifest.icons.some(({ purpose }) => purpose?.includes('maskable'))).toBe(true)
    for (const { src, sizes, type } of manifest.icons) {
      const response = served[src.slice(1)]?.()
      expect([src, response?.headers.get('content-type')]).toEqual([src, type])
      const bytes = new Uint8Array((await response?.arrayBuffer()) ?? [])
      if (type === 'image/png') expect([src, sizeOf(bytes)]).toEqual([src, sizes])
    }
    expect(sizeOf(new Uint8Array(await files['apple-touch-icon.png']().arrayBuffer()))).toBe('180x180')
  },
)

test('marks in a page need no name of their own and no address of another host', () => {
  for (const product of ['links', 'rooms'] as const) {
    expect(brandMark(product)).toStartWith('<svg aria-hidden="true" viewBox=')
    expect(brandMark(product)).not.toContain('://')
  }
})
