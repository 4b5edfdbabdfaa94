import { readFileSync } from 'node:fs'
import inter from './fonts/inter.woff2' with { type: 'file' }

/**
 * Inter 4.1 by Rasmus Andersson, SIL Open Font License (fonts/LICENSE.txt): Latin letters in weights
 * 400 to 700. docs/design.md says how the file was made.
 */
export const fontBytes = readFileSync(inter)

/** A file name that changes with the content. */
export const fontName = `inter-${Bun.hash(fontBytes).toString(36)}.woff2`

/** The rule that loads the font from this URL. */
export const fontFace = (url: string): string =>
  `@font-face{font-family:Inter;src:url(${url}) format("woff2");font-weight:400 700;font-display:swap}`

/** Headers of files whose names contain a hash of their content, which holds no data. */
export const IMMUTABLE = { 'Cache-Control': 'public, max-age=31536000, immutable' } as const

/** The font as a response, which may be cached forever. */
export const fontResponse = (): Response =>
  new Response(Bun.file(inter), { headers: { 'Content-Type': 'font/woff2', ...IMMUTABLE } })
