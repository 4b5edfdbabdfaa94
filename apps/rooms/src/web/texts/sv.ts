import { sv as account } from './areas/account.ts'
import { sv as errors } from './areas/errors.ts'
import { sv as lobby } from './areas/lobby.ts'
import { sv as room } from './areas/room.ts'
import { sv as shell } from './areas/shell.ts'
import type { Texts } from './en.ts'

export const sv: Texts = {
  'app.name': 'Latchkey Rooms',
  ...account,
  ...errors,
  ...lobby,
  ...room,
  ...shell,
}
