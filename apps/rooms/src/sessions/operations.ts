import type { AnyOperation } from '@latchkey/http/operation'
import type { Context } from '../context.ts'

export const sessionOperations: readonly AnyOperation<Context>[] = []
