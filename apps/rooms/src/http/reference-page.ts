import { failure } from '../failures.ts'
import { VERSION } from '../version.ts'
import { API_PATH } from './api.ts'
import { createDocument } from './reference.ts'

const SCRIPT_PATH = `${API_PATH}/docs/scalar.js`

// No fonts, proxies, telemetry or services of the vendor: the page works offline and asks nobody but us.
const CONFIGURATION = JSON.stringify({
  url: `${API_PATH}/openapi.json`,
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  defaultOpenAllTags: true,
})

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Latchkey Rooms API</title>
</head>
<body>
<script id="api-reference" type="application/json" data-configuration="${Bun.escapeHTML(CONFIGURATION)}"></script>
<script src="${SCRIPT_PATH}"></script>
</body>
</html>
`

/** The reference and its document, for everybody; undefined for other paths. */
export function createReference(): (request: Request, path: string) => Response | undefined {
  const document = JSON.stringify(createDocument(VERSION))
  const script = new URL('./browser/standalone.js', import.meta.resolve('@scalar/api-reference'))
  const answers: Readonly<Record<string, () => Response>> = {
    [`${API_PATH}/openapi.json`]: () =>
      new Response(document, { headers: { 'Content-Type': 'application/json' } }),
    [`${API_PATH}/docs`]: () =>
      new Response(PAGE, { headers: { 'Content-Type': 'text/html; charset=utf-8' } }),
    [SCRIPT_PATH]: () =>
      new Response(Bun.file(script), { headers: { 'Content-Type': 'text/javascript; charset=utf-8' } }),
  }
  return ({ method }, path) => {
    const answer = Object.hasOwn(answers, path) ? answers[path] : undefined
    if (!answer) return undefined
    if (method !== 'GET' && method !== 'HEAD')
      throw failure('method_not_allowed', { headers: { Allow: 'GET, HEAD' } })
    return answer()
  }
}
