import { fileURLToPath } from 'node:url'
import { carried } from './carried.ts'

export interface ReferencePage {
  title: string
  /** Where the OpenAPI document and this page's one script are served. */
  documentPath: string
  scriptPath: string
  /** Path of the page's icon. */
  icon?: string
}

/** The file to serve as the page's script; the package holds everything that the page needs. */
export function referenceScript(): string {
  return (
    carried('scalar.js') ??
    fileURLToPath(new URL('./browser/standalone.js', import.meta.resolve('@scalar/api-reference')))
  )
}

/** The interactive reference of an API as HTML, without an inline script. */
export function referencePage({ title, documentPath, scriptPath, icon }: ReferencePage): string {
  // No fonts, proxies, telemetry or services of the vendor: the page works offline and asks nobody but us.
  const configuration = JSON.stringify({
    url: documentPath,
    withDefaultFonts: false,
    telemetry: false,
    hideClientButton: true,
    showDeveloperTools: 'never',
    agent: { disabled: true },
    mcp: { disabled: true },
    defaultOpenAllTags: true,
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
<script src="${Bun.escapeHTML(scriptPath)}"></script>
</body>
</html>
`
}
