import { ANSWER_HEADERS } from '@latchkey/http/answer-headers'
import { brandMark } from '@latchkey/web/brand'
import { type Language, acceptedLanguages, firstLanguage, inEachLanguage } from '@latchkey/web/languages'
import { MESSAGE_STYLES } from './page-styles.ts'
import { type PageTexts, serverTexts } from '../texts/texts.ts'

export interface MessagePage {
  title: string
  /** HTML. */
  sentence: string
  /** Further HTML, above the title and below the sentence. */
  above?: string
  below?: string
}

/** "Latchkey" leads; the product follows in a lighter weight. */
export const WORDMARK = `<p class="brand">${brandMark('links')}<span><b>Latchkey</b> Links</span></p>`

/** Renders a page that is complete without scripts. Its author has escaped the HTML. */
export function renderMessage(language: Language, { title, sentence, above, below }: MessagePage): string {
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<style>${MESSAGE_STYLES}</style>
</head>
<body>
<main>
${WORDMARK}
${above ?? ''}<h1>${title}</h1>
<p>${sentence}</p>
${below ?? ''}</main>
</body>
</html>
`
}

const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'private, no-store',
  'Content-Security-Policy': `default-src 'none'; style-src 'unsafe-inline'; font-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  // A visitor who has entered a password does not come from one of our own links (L13.3).
  'Referrer-Policy': 'no-referrer',
  ...Object.fromEntries(ANSWER_HEADERS),
}

/** A complete HTML document, which its author has escaped. */
export function htmlPage(html: string, init: { status?: number; headers?: Record<string, string> } = {}) {
  return new Response(html, { status: init.status ?? 200, headers: { ...HEADERS, ...init.headers } })
}

/** The first language of the browser in which pages are written. */
export function languageOf({ headers }: Request): Language {
  return firstLanguage(acceptedLanguages(headers.get('accept-language')))
}

type FixedText = {
  [Key in keyof PageTexts]: PageTexts[Key] extends MessagePage ? Key : never
}[keyof PageTexts]

/** A page whose bytes depend on nothing but the language of the browser. */
export function fixedPage(text: FixedText, status: number) {
  const render = (language: Language) => renderMessage(language, serverTexts[language].pages[text])
  const documents = inEachLanguage(render)
  return (request: Request, headers: Record<string, string> = {}): Response =>
    htmlPage(documents[languageOf(request)], { status, headers })
}

/**
 * One answer for unknown, disabled, expired and malformed slugs, which visitors cannot distinguish
 * (L12.3).
 */
export const notFoundPage = fixedPage('notFound', 404)

const temporarilyUnavailablePage = fixedPage('unavailable', 503)

/** The database is unreachable, and this node has not cached what is needed. */
export function unavailablePage(request: Request): Response {
  return temporarilyUnavailablePage(request, { 'Retry-After': '5' })
}

export const landingPage = fixedPage('landing', 200)
export const failedPage = fixedPage('failed', 500)
export const tooManyRequestsPage = fixedPage('tooManyRequests', 429)

const ALLOWED_METHODS = 'GET, HEAD'

const noFormPage = fixedPage('notFound', 405)

/**
 * One answer for forms that nothing takes: of unknown slugs, of links without a form, and of links
 * that were used up while the form was open.
 */
export function formNotAllowedPage(request: Request): Response {
  return noFormPage(request, { Allow: ALLOWED_METHODS })
}

export function methodNotAllowed(): Response {
  return new Response('Method Not Allowed\n', {
    status: 405,
    headers: {
      Allow: ALLOWED_METHODS,
      'Content-Type': 'text/plain; charset=utf-8',
      'Cache-Control': 'private, no-store',
      'Referrer-Policy': 'no-referrer',
      ...Object.fromEntries(ANSWER_HEADERS),
    },
  })
}
