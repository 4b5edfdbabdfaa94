import { API_PATH } from '../../src/http/api.ts'
import { apiOperations } from '../../src/operations.ts'

/** An address and a method of the API. */
export interface Route {
  id: string
  method: string
  path: string
  scope: string
  takesBody: boolean
  /** Takes a form with a file instead of JSON. */
  takesForm: boolean
}

/** Every operation of the API, with an id that does not exist for each parameter. */
export const routes: readonly Route[] = apiOperations.flatMap((operation) =>
  operation.methods.map((method) => ({
    id: operation.id,
    method,
    path: API_PATH + operation.path.replaceAll(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000'),
    scope: operation.scope,
    takesBody: operation.body !== undefined,
    takesForm: operation.formField !== undefined,
  })),
)

export const unsafeRoutes = routes.filter(({ method }) => method !== 'GET')
