import type { AnyOperation } from '@latchkey/http/operation'
import type { Context } from '../context.ts'

export const guestOperations: readonly AnyOperation<Context>[] = []
