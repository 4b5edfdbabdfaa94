import { serverTexts } from '../texts/texts.ts'
import { fixedPage, htmlPage, languageOf, renderMessage } from './pages.ts'

const FORM_HEADERS = {
  // Chromium also applies `form-action` to the redirect that follows, which leads to any host.
  'Content-Security-Policy': `default-src 'none'; style-src 'unsafe-inline'; font-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self' http: https:; frame-ancestors 'none'`,
}

/**
 * The form that asks for the password of a link, at first or after a wrong one. It names no
 * destination and contains no script.
 */
export function passwordPage(request: Request, kind: 'password' | 'wrongPassword'): Response {
  const language = languageOf(request)
  const texts = serverTexts[language].pages
  const isWrong = kind === 'wrongPassword'
  const html = renderMessage(language, {
    title: texts[kind].title,
    sentence: `<span id="sentence">${texts[kind].sentence}</span>`,
    below: `<form method="post">
<label for="password">${texts.passwordField}</label>
<input id="password" name="password" type="password" required autofocus maxlength="200" autocomplete="off"${
      isWrong ? ' aria-invalid="true" aria-describedby="sentence"' : ''
    }>
<button>${texts.continue}</button>
</form>
`,
  })
  return htmlPage(html, { status: isWrong ? 401 : 200, headers: FORM_HEADERS })
}

const tooManyTries = fixedPage('tooManyTries', 429)

export function tooManyTriesPage(request: Request, retryAfterSeconds: number): Response {
  return tooManyTries(request, { 'Retry-After': String(retryAfterSeconds) })
}

/**
 * The page with the button that uses a visit of a link with a limit up. It names no destination, so
 * that programs may see it, too.
 */
export function confirmPage(request: Request): Response {
  const language = languageOf(request)
  const texts = serverTexts[language].pages
  const html = renderMessage(language, {
    ...texts.confirm,
    below: `<form method="post">\n<button>${texts.continue}</button>\n</form>\n`,
  })
  return htmlPage(html, { headers: FORM_HEADERS })
}
