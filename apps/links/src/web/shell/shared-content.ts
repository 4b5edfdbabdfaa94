import type { InitialValues } from '../link-dialogs/state.ts'
import { parseUrlInput } from '../parts/url-input.ts'

/**
 * The new link for what an app shares: its URL, which most apps put at the end of a text, and its
 * title.
 */
export function toNewLink(title: string, [text, url]: readonly (string | null | undefined)[]): InitialValues {
  const words = [title, text, url].flatMap((value) => value?.split(/\s+/) ?? [])
  const destination = words.map(parseUrlInput).findLast((parsed) => parsed !== undefined)
  const label = parseUrlInput(title) === undefined ? title.trim() : ''
  return { ...(destination !== undefined && { url: destination }), ...(label !== '' && { label }) }
}
