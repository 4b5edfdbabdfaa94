import type { CountingOptions } from '../redirect/decide.ts'
import type { VisitOptions } from '../redirect/visit.ts'

/** The caller's request as the visit of a short URL, and the settings of redirects. */
export interface VisitSource {
  request: Request
  peer: string
  options: VisitOptions & CountingOptions
}
