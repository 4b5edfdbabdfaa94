import type { Result } from '../../call.ts'

export type Stats = Result<'getBundleAnalytics'>
