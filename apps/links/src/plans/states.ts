/** The states of a plan. Only an open one can be applied. */
export const planStates = ['open', 'applied', 'discarded', 'undone', 'expired'] as const
export type PlanState = (typeof planStates)[number]
