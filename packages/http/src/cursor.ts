/**
 * Everything that determines the content and order of a list. A cursor is valid only for the same
 * list.
 */
export type ListKey = readonly (string | number | undefined)[]

/**
 * Returns the cursor of the page that begins after `position`, the values of a row by which the list
 * is ordered.
 *
 * @example createCursor(['users'], [1_767_225_600, 7])
 */
export function createCursor(list: ListKey, position: readonly (string | number)[]): string {
  return Buffer.from([fingerprint(list), ...position].join('.')).toString('base64url')
}

/**
 * Returns the position in a cursor, its values joined by dots, or undefined if the cursor belongs to
 * another list. Clients can forge any value. Never throws.
 *
 * @example readCursor(['users'], createCursor(['users'], [1_767_225_600, 7])) // '1767225600.7'
 */
export function readCursor(list: ListKey, cursor: string): string | undefined {
  const [mark, ...position] = Buffer.from(cursor, 'base64url').toString().split('.')
  return mark === fingerprint(list) ? position.join('.') : undefined
}

function fingerprint(list: ListKey): string {
  return Bun.hash.xxHash32(JSON.stringify(list)).toString(36)
}
