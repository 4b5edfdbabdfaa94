import { join } from 'node:path'
import { readEmbeddedAsset } from './embedded-asset.ts'

export interface Reference {
  title: string
  /** Base path of the API; the reference is below it. */
  apiPath: string
  /** Path of the page's icon. */
  icon?: string
  /** Builds the OpenAPI document on first request, to keep the start of the service fast. */
  document: () => unknown
  /** Headers of the answers beside their type. */
  headers?: Partial<Record<'document' | 'page' | 'script', Readonly<Record<string, string>>>>
}

/** Paths of the parts of the reference. */
export function referencePaths(apiPath: string) {
  return { document: `${apiPath}/openapi.json`, page: `${apiPath}/docs`, script: `${apiPath}/docs/scalar.js` }
}

/**
 * Builds the interactive reference of an API as answers by path: the document, a page, and the
 * page's only script.
 */
export function referenceAnswers({
  title,
  apiPath,
  icon,
  document,
  headers = {},
}: Reference): ReadonlyMap<string, () => Response | Promise<Response>> {
  const paths = referencePaths(apiPath)
  const page = pageOf(title, paths, icon)
  const script = servedScript()
  let text: string | undefined
  return new Map<string, () => Response | Promise<Response>>([
    [
      paths.document,
      () => answer((text ??= JSON.stringify(document())), 'application/json', headers.document),
    ],
    [paths.page, () => answer(page, 'text/html; charset=utf-8', headers.page)],
    [paths.script, async () => answer(await script(), 'text/javascript; charset=utf-8', headers.script)],
  ])
}

function answer(body: BodyInit, type: string, more: Readonly<Record<string, string>> = {}): Response {
  return new Response(body, { headers: { 'Content-Type': type, ...more } })
}

/** The name of the script in the executable. */
export const SCRIPT_ASSET = 'scalar.js'

/**
 * Serves the page's script from the executable or, in source, from a child process that reads it
 * from the package on first use.
 */
function servedScript(): () => Promise<Blob> {
  let reading: Promise<Blob> | undefined
  return async () => {
    reading ??= readScript().catch((error: unknown) => {
      reading = undefined
      throw error
    })
    return reading
  }
}

async function readScript(): Promise<Blob> {
  const embedded = readEmbeddedAsset(SCRIPT_ASSET)
  if (embedded !== undefined) return new Blob([new Uint8Array(embedded)])
  const reader = Bun.spawn([process.execPath, join(import.meta.dirname, 'reference-script.ts')], {
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [script, errors] = await Promise.all([
    new Response(reader.stdout).blob(),
    new Response(reader.stderr).text(),
  ])
  if ((await reader.exited) !== 0) throw new Error(`The script of the API reference is missing: ${errors}`)
  return script
}

/**
 * What Scalar's own styles lack for WCAG 2.2 AA: contrast of quiet texts and methods, and targets of 24 px.
 * Its copy buttons have no name, and its lists of endpoints scroll without the keyboard.
 */
const STYLES = `
.light-mode {
  --scalar-color-2: #4b5160; --scalar-color-3: #5a606e;
  --scalar-color-green: #08734f; --scalar-color-red: #b3261e; --scalar-color-blue: #2147ae;
  --scalar-color-orange: #8a5a00; --scalar-color-yellow: #7a5c00; --scalar-color-purple: #62359c;
}
.dark-mode {
  --scalar-color-2: #b6bdca; --scalar-color-3: #a3abbb;
  --scalar-color-green: #5fd3a4; --scalar-color-red: #ff9d95; --scalar-color-blue: #9dbdff;
  --scalar-color-orange: #f0bd63; --scalar-color-yellow: #f0d063; --scalar-color-purple: #c9a6ff;
}
.light-mode, .dark-mode {
  --scalar-sidebar-color-2: var(--scalar-color-2); --scalar-sidebar-search-color: var(--scalar-color-2);
}
.sidebar-search-placeholder, .client-libraries-text, .badge { color: var(--scalar-color-1) !important; }
[class*='copy-button'] { display: none !important; }
.endpoints, .scalar-card-content:has(> .endpoints) { max-height: none !important; overflow: visible !important; }
.endpoints * { min-width: 0; white-space: normal !important; overflow-wrap: anywhere; }
button { min-width: 24px; min-height: 24px; }
`

/** Builds the HTML, without an inline script. */
function pageOf(title: string, paths: ReturnType<typeof referencePaths>, icon: string | undefined): string {
  // No fonts, proxies, telemetry or services of the vendor: the page works offline and sends
  // requests only to this service.
  const configuration = JSON.stringify({
    url: paths.document,
    withDefaultFonts: false,
    telemetry: false,
    hideClientButton: true,
    showDeveloperTools: 'never',
    agent: { disabled: true },
    mcp: { disabled: true },
    defaultOpenAllTags: true,
    customCss: STYLES,
  })
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${Bun.escapeHTML(title)}</title>${icon === undefined ? '' : `\n<link rel="icon" href="${Bun.escapeHTML(icon)}">`}
</head>
<body>
<script id="api-reference" type="application/json" data-configuration="${Bun.escapeHTML(configuration)}"></script>
<script src="${Bun.escapeHTML(paths.script)}"></script>
</body>
</html>
`
}
