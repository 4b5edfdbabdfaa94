import { isLoopbackHost } from './safe-url.ts'

export type Header = readonly [name: string, value: string]

/**
 * Headers of every answer with content. Other origins cannot embed it as an image, script or frame,
 * pages that open it or that it opens lose their handle on its window, and browsers take it for
 * nothing but its media type.
 */
export const ANSWER_HEADERS: readonly Header[] = [
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['X-Content-Type-Options', 'nosniff'],
]

const HSTS: Header = ['Strict-Transport-Security', 'max-age=31536000']

/**
 * Makes browsers use https for the host of this origin for a year; undefined without https. The
 * names of this machine are shared with all its other services, on all ports.
 *
 * @example strictTransport('https://go.example.com') // ['Strict-Transport-Security', 'max-age=31536000']
 */
export function strictTransport(origin: string): Header | undefined {
  return origin.startsWith('https://') && !isLoopbackHost(new URL(origin).hostname) ? HSTS : undefined
}
