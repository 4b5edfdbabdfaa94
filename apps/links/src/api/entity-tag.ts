import type { ResponseHeader } from '@latchkey/http/operation'
import type { Context } from './context.ts'
import { failure } from './failures.ts'

/** Headers of answers that hold one link. */
export const entityTagHeader: Readonly<Record<string, ResponseHeader>> = {
  ETag: {
    type: 'string',
    description:
      'Version of the link, which every write of it raises by one. A write with `If-Match` fails with 412 if the link has another version.',
  },
}

/** The entity tag of this version of a link. */
export function entityTag({ version }: { version: number }): string {
  return `"${version}"`
}

/** Throws 412 if the caller's write is only for other versions of the link (L25.3). */
export function requireVersion({ ifMatch }: Pick<Context, 'ifMatch'>, link: { version: number }): void {
  if (!matchesTag({ ifMatch }, entityTag(link))) throw failure('link_changed')
}

/** Whether the caller's write is for the version with this entity tag, or for any. */
export function matchesTag({ ifMatch }: { ifMatch?: string | null | undefined }, tag: string): boolean {
  if (ifMatch === null || ifMatch === undefined || ifMatch.trim() === '*') return true
  // Weak tags never match (RFC 9110 section 13.1.1).
  return ifMatch.split(',').some((listed) => listed.trim() === tag)
}
