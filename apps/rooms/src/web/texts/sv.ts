import { sv as account } from './areas/account.ts'
import { sv as admin } from './areas/admin.ts'
import { sv as audit } from './areas/audit.ts'
import { sv as errors } from './areas/errors.ts'
import { sv as instance } from './areas/instance.ts'
import { sv as lobby } from './areas/lobby.ts'
import { sv as room } from './areas/room.ts'
import { sv as manage } from './areas/manage.ts'
import { sv as shell } from './areas/shell.ts'
import type { Texts } from './en.ts'

export const sv: Texts = {
  'app.name': 'Latchkey Rooms',
  ...account,
  ...admin,
  ...audit,
  ...errors,
  ...instance,
  ...lobby,
  ...room,
  ...manage,
  ...shell,
}
