import { operationsOf } from '@latchkey/http/operation'
import type { Caller, PublicCaller, Scope } from './caller.ts'
import type { OperationRequest } from './request.ts'
import type { OperationServices } from './services.ts'

/** Input of an operation besides its parameters. */
export interface Context extends OperationServices, OperationRequest, Caller {}

/** Input of an operation with scope `public` besides its parameters. */
export type PublicContext = OperationServices & OperationRequest & PublicCaller

export const operation = operationsOf<Context, Exclude<Scope, 'public'>>()
export const publicOperation = operationsOf<PublicContext, 'public'>()
