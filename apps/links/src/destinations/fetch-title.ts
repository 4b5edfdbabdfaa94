// Reads the title of a link's destination (L6.6).
import { createHmac } from 'node:crypto'
import { HTML_TYPES, type PublicFetchOptions, type PublicFile, createPublicFetch } from './public-fetch.ts'
import { withoutFormat } from '../api/text.ts'

export interface TitleFetcher {
  /** Returns null, too, as soon as `abort` is aborted. */
  (url: string, abort?: AbortSignal): Promise<string | null>
}

/**
 * The user agent, the same on all nodes of an instance and on no others, by which our redirects
 * recognise our own fetches. A prefetch header would not do: some servers refuse prefetches with
 * 503. The owner of a fetched page learns the user agent, which matters little. With it they visit
 * a link uncounted, as anyone can with HEAD.
 */
export function titleUserAgent(secret: string): string {
  return `latchkey-links title fetch (${createHmac('sha256', secret).update('title fetch').digest('base64url')})`
}

const MAX_BYTES = 16 * 1024
const MAX_CODE_POINTS = 500

/** The fetcher returns null for every failure, and never throws. */
export function createTitleFetcher(userAgent: string, options?: PublicFetchOptions): TitleFetcher {
  const fetchPublic = createPublicFetch(userAgent, options)
  return (url, abort) =>
    fetchPublic(async (fetchFile) => {
      const request = { accept: 'text/html', maxBytes: MAX_BYTES, types: HTML_TYPES }
      const page = await fetchFile(new URL(url), request)
      return page && readTitle(page)
    }, abort)
}

async function readTitle({ bytes, headers }: PublicFile): Promise<string | null> {
  // Imported with the first page: its entity tables would slow down every start.
  const { decodeHTML } = await import('entities/decode')
  const html = decodeText(bytes, headers['content-type'] ?? '')
  const title = withoutFormat(decodeHTML(findTitle(html)))
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  return Array.from(title).slice(0, MAX_CODE_POINTS).join('').trimEnd() || null
}

function decodeText(bytes: Buffer, contentType: string): string {
  const inHeader = /;\s*charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType)?.[1]
  // HTML allows the declaration in the first 1024 bytes only.
  const inMeta = /<meta\s[^>]*charset\s*=\s*["']?\s*([^\s"'/>;]+)/i.exec(
    bytes.toString('latin1', 0, 1024),
  )?.[1]
  try {
    return new TextDecoder(inHeader ?? inMeta ?? 'utf-8').decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

/**
 * The source of the first title in the document, or an empty string if it does not end within the
 * text.
 */
function findTitle(html: string): string {
  let text = ''
  let isOpen = false
  let title: string | undefined
  new HTMLRewriter()
    // SVGs have titles of their own. The attribute makes the second handler skip them.
    .on('svg title', { element: (element) => void element.setAttribute('data-svg', '') })
    .on('title', {
      element(element) {
        if (title !== undefined || element.hasAttribute('data-svg')) return
        isOpen = true
        element.onEndTag(() => {
          isOpen = false
          title = text
        })
      },
      text(chunk) {
        if (isOpen) text += chunk.text
      },
    })
    .transform(html)
  return title ?? ''
}
