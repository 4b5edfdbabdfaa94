import { referencePage, referenceScript } from '@latchkey/http/reference-page'
import { failure } from '../failures.ts'
import { VERSION } from '../version.ts'
import { API_PATH } from './api.ts'
import { createDocument } from './reference.ts'

const SCRIPT_PATH = `${API_PATH}/docs/scalar.js`

const DOCUMENT_PATH = `${API_PATH}/openapi.json`
const PAGE_PATH = `${API_PATH}/docs`
const PATHS: ReadonlySet<string> = new Set([DOCUMENT_PATH, PAGE_PATH, SCRIPT_PATH])

export function isReference(path: string): boolean {
  return PATHS.has(path)
}

/** The reference and its document, for everybody; undefined for other paths. Like every page, that of the demo says so. */
export function createReference(demo: boolean): (request: Request, path: string) => Response | undefined {
  const page = referencePage({
    title: demo ? 'Latchkey Rooms API (demo)' : 'Latchkey Rooms API',
    documentPath: DOCUMENT_PATH,
    scriptPath: SCRIPT_PATH,
  })
  // Made when it is first asked for, and not while everybody waits for the start.
  let document: string | undefined
  const script = referenceScript()
  const answers: Readonly<Record<string, () => Response>> = {
    [DOCUMENT_PATH]: () =>
      new Response((document ??= JSON.stringify(createDocument(VERSION))), {
        headers: { 'Content-Type': 'application/json' },
      }),
    [PAGE_PATH]: () => new Response(page, { headers: { 'Content-Type': 'text/html; charset=utf-8' } }),
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
