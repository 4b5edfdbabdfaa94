import { type Language, inEachLanguage } from '@latchkey/web/languages'
import { htmlPage, languageOf } from '../../redirect/pages.ts'
import type { Settings } from '../../settings/settings.ts'
import { serverTexts } from '../../texts/texts.ts'
import { renderPrivacy } from './page.ts'
import { describePrivacy } from './statement.ts'

export const PRIVACY_PATH = '/_/privacy'
export const PRIVACY_JSON_PATH = '/_/privacy.json'
/** The support resource of Global Privacy Control. */
export const GPC_PATH = '/.well-known/gpc.json'

/** The settings do not change while the service runs. An update may: hence an hour. */
const HEADERS = { 'Cache-Control': 'public, max-age=3600' }

/** States that the signal is honored, on every domain; undefined if it is not. */
export function serveGpcSupport({ honorGpc }: Pick<Settings, 'honorGpc'>): Response | undefined {
  return honorGpc ? Response.json({ gpc: true }, { headers: HEADERS }) : undefined
}

/**
 * Creates the handlers of the public privacy statement. Both documents are rendered once: answering
 * reads no database and costs nothing, so there is no rate limit.
 */
export function createPrivacyPages(settings: Settings) {
  const statement = describePrivacy(settings)
  const json = `${JSON.stringify(statement, null, 2)}\n`
  const render = (language: Language) =>
    renderPrivacy(statement, { locale: language, texts: serverTexts[language].privacy })
  const pages = inEachLanguage(render)
  return {
    page: (request: Request): Response =>
      htmlPage(pages[languageOf(request)], { headers: { ...HEADERS, Vary: 'Accept-Language' } }),
    json: (): Response =>
      new Response(json, {
        headers: { ...HEADERS, 'Content-Type': 'application/json' },
      }),
  }
}
