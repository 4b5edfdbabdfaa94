import type { Result } from '../../call.ts'

export type Key = Result<'listKeys'>[number]
export type Policy = Result<'listPolicies'>[number]
