import { id as account } from './areas/account.ts'
import { id as admin } from './areas/admin.ts'
import { id as audit } from './areas/audit.ts'
import { id as errors } from './areas/errors.ts'
import { id as instance } from './areas/instance.ts'
import { id as lobby } from './areas/lobby.ts'
import { id as room } from './areas/room.ts'
import { id as manage } from './areas/manage.ts'
import { id as shell } from './areas/shell.ts'
import type { Texts } from './en.ts'

export const id: Texts = {
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
