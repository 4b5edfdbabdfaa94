import { referencePage, referenceScript } from '@latchkey/http/reference-page'
import { failure } from '../failures.ts'
import { VERSION } from '../version.ts'
import { API_PATH } from './api.ts'
import { createDocument } from './reference.ts'

const SCRIPT_PATH = `${API_PATH}/docs/scalar.js`

const PAGE = referencePage({
  title: 'Latchkey Rooms API',
  documentPath: `${API_PATH}/openapi.json`,
  scriptPath: SCRIPT_PATH,
})

/** The reference and its document, for everybody; undefined for other paths. */
export function createReference(): (request: Request, path: string) => Response | undefined {
  // Made when it is first asked for, and not while everybody waits for the start.
  let document: string | undefined
  const script = referenceScript()
  const answers: Readonly<Record<string, () => Response>> = {
    [`${API_PATH}/openapi.json`]: () =>
      new Response((document ??= JSON.stringify(createDocument(VERSION))), {
        headers: { 'Content-Type': 'application/json' },
      }),
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
