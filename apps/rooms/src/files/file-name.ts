import { boundMarks } from '@latchkey/http/fold'
import { isVisible } from '@latchkey/http/visible'

const MAX_CHARACTERS = 150
const MAX_EXTENSION = 20

/**
 * The name of a file as it is stored and shown: one line, without folders, control characters, and
 * characters that reverse the direction of writing, which disguise an extension.
 */
export function cleanFileName(sent: string): string {
  const [base = ''] = sent.toWellFormed().split(/[/\\]/).slice(-1)
  const name = boundMarks(base)
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu, '')
    .trim()
  if (!isVisible(name) || /^\.+$/.test(name)) return 'file'
  return shorten(name)
}

/** Keeps the extension. */
function shorten(name: string): string {
  const characters = Array.from(name)
  if (characters.length <= MAX_CHARACTERS) return name
  const extension = Array.from(/\.[^.]*$/.exec(name)?.[0] ?? '').slice(0, MAX_EXTENSION)
  return [...characters.slice(0, MAX_CHARACTERS - extension.length), ...extension].join('')
}

/** For the header `Content-Disposition` (RFC 6266): the name in ASCII, and as it is. */
export function contentDisposition(kind: 'inline' | 'attachment', name: string): string {
  const ascii = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  )
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${encoded}`
}
