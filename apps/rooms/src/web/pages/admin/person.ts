import type { Result } from '../../call.ts'

export type Person = Result<'listUsers'>['users'][number]
