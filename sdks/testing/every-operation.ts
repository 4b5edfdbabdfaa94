import { createDocument } from '../../apps/links/src/http/reference.ts'

interface Described {
  operationId: string
}

/**
 * Returns the operations of the document that were not called, except PATCH, which is equivalent to
 * PUT.
 */
export function operationsNotCalled(called: readonly string[]): string[] {
  const paths = createDocument('0.0.0')['paths'] as Record<string, Record<string, Described>>
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => method !== 'patch')
      .filter(([method]) => !called.some((call) => matches(call, method, path)))
      .map(([, { operationId }]) => operationId),
  )
}

function matches(call: string, method: string, path: string): boolean {
  const pattern = path.replaceAll(/\{\w+\}/g, '[^/]+')
  return new RegExp(`^${method} ${pattern}$`, 'i').test(call)
}
