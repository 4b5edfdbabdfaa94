import { CROSS_ORIGIN_HEADERS } from '@latchkey/http/cross-origin'

/**
 * The few pages that visitors see. The bytes are always the same, so dead links cannot be
 * distinguished.
 */
function renderPage(title: string, sentence: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; min-height: 100vh; display: grid; place-content: center; }
main { padding: 2rem; max-width: 32rem; }
h1 { font-size: 1.5rem; margin: 0 0 .5rem; }
p { margin: 0; }
</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${sentence}</p>
</main>
</body>
</html>
`
}

const NOT_FOUND = renderPage(
  'Page not found',
  'There is nothing at this address. Check that it was copied in full.',
)
const UNAVAILABLE = renderPage(
  'Temporarily unavailable',
  'This link cannot be followed at the moment. Try again shortly.',
)
const LANDING = renderPage(
  'Latchkey Links',
  'This is a link shortener. Its short links lead elsewhere; this page does not.',
)

const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'private, no-store',
  'Content-Security-Policy': `default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'X-Content-Type-Options': 'nosniff',
  ...Object.fromEntries(CROSS_ORIGIN_HEADERS),
}

/** One answer for unknown, disabled, expired and malformed slugs (L12.3). */
export function notFoundPage(): Response {
  return new Response(NOT_FOUND, { status: 404, headers: HEADERS })
}

/** The database is unreachable, and this node has not cached the slug. */
export function unavailablePage(): Response {
  return new Response(UNAVAILABLE, { status: 503, headers: { ...HEADERS, 'Retry-After': '5' } })
}

/** A complete HTML document, which its author has escaped. */
export function htmlPage(html: string, headers: Record<string, string>): Response {
  return new Response(html, { headers: { ...HEADERS, ...headers } })
}

export function landingPage(): Response {
  return new Response(LANDING, { headers: HEADERS })
}

/** An HTML page with a title and one sentence. Both are our own texts, never input of a caller. */
export function messagePage(
  status: number,
  title: string,
  sentence: string,
  headers: Record<string, string> = {},
): Response {
  return new Response(renderPage(title, sentence), { status, headers: { ...HEADERS, ...headers } })
}

export function methodNotAllowed(): Response {
  return new Response('Method Not Allowed\n', {
    status: 405,
    headers: {
      Allow: 'GET, HEAD',
      'Content-Type': 'text/plain; charset=utf-8',
      'Cache-Control': 'private, no-store',
      ...Object.fromEntries(CROSS_ORIGIN_HEADERS),
    },
  })
}
