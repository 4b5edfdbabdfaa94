import { referenceAnswers, referencePaths } from '@latchkey/http/reference-page'
import { failure } from '../api/failures.ts'
import { VERSION } from '../api/version.ts'
import { API_PATH } from './api.ts'
import { createDocument } from './reference.ts'

const PATHS: ReadonlySet<string> = new Set(Object.values(referencePaths(API_PATH)))

export function isReference(path: string): boolean {
  return PATHS.has(path)
}

/**
 * The public API reference and its document. Undefined for other paths. In the demo, the title
 * contains "(demo)".
 */
export function createReference(
  demo: boolean,
): (request: Request, path: string) => Response | Promise<Response> | undefined {
  const answers = referenceAnswers({
    title: demo ? 'Latchkey Rooms API (demo)' : 'Latchkey Rooms API',
    apiPath: API_PATH,
    document: () => createDocument(VERSION),
  })
  return ({ method }, path) => {
    const answer = answers.get(path)
    if (!answer) return undefined
    if (method !== 'GET' && method !== 'HEAD')
      throw failure('method_not_allowed', { headers: { Allow: 'GET, HEAD' } })
    return answer()
  }
}
