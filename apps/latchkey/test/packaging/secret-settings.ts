import { declarations as links } from '@latchkey/links/settings/declarations'
import { declarations as rooms } from '@latchkey/rooms/settings/declarations'
import type { Declaration } from '@latchkey/settings/settings'

const declarations: Declaration<unknown>[] = [...Object.values(links), ...Object.values(rooms)]

/** The names of the settings that accept a file. */
export const SECRET_SETTINGS = declarations.filter(({ secret }) => secret).map(({ name }) => name)
