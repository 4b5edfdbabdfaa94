/** What a push says, besides that there is something new: nothing, the room, or its author and text too. */
export const PUSH_CONTENTS = ['none', 'names', 'text'] as const
export type PushContent = (typeof PUSH_CONTENTS)[number]
