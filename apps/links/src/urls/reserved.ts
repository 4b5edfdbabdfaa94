/**
 * Names that the server serves at its root. The root routes are mounted from this list, which keeps
 * it complete.
 */
export const rootNames = [
  'favicon.ico',
  'favicon.svg',
  'apple-touch-icon.png',
  'icon-192.png',
  'icon-512.png',
  'manifest.webmanifest',
  'robots.txt',
  'sw.js',
] as const

export type RootName = (typeof rootNames)[number]

export function isReserved(slug: string): boolean {
  return (rootNames as readonly string[]).includes(slug)
}
