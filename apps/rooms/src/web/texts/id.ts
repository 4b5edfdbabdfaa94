import { id as account } from './areas/account.ts'
import { id as errors } from './areas/errors.ts'
import { id as lobby } from './areas/lobby.ts'
import { id as room } from './areas/room.ts'
import { id as shell } from './areas/shell.ts'
import type { Texts } from './en.ts'

export const id: Texts = {
  'app.name': 'Latchkey Rooms',
  ...account,
  ...errors,
  ...lobby,
  ...room,
  ...shell,
}
