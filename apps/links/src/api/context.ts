import { operationsOf } from '@latchkey/http/operation'
import type { Caller } from './caller.ts'
import type { OperationRequest } from './request.ts'
import type { OperationServices } from './services.ts'

/** Input of every operation besides its parameters. */
export interface Context extends Caller, OperationRequest, OperationServices {}

/** Declares an operation, which counts its items before it does anything. */
export const operation = operationsOf<Context>(({ costs }, items) => costs.count(items))
