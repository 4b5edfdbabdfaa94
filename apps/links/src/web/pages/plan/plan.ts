import type { Result } from '../../call.ts'

export type Plan = Result<'getPlan'>
export type PlanChange = Plan['diff'][number]
export type Op = Plan['ops'][number]
