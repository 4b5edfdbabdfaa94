import type { Input, Result } from '../../call.ts'

export type Behaviour = Result<'getBehaviour'>
export type NewBehaviour = Input<'setBehaviour'>['body']
export type Rule = NonNullable<Behaviour['rules']>[number]
export type When = Rule['when']
export type Destination = Rule['to']
export type Parts = NonNullable<Behaviour['split']>
