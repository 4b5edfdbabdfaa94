import { en as account } from './areas/account.ts'
import { en as admin } from './areas/admin.ts'
import { en as audit } from './areas/audit.ts'
import { en as errors } from './areas/errors.ts'
import { en as instance } from './areas/instance.ts'
import { en as lobby } from './areas/lobby.ts'
import { en as room } from './areas/room.ts'
import { en as manage } from './areas/manage.ts'
import { en as shell } from './areas/shell.ts'

export const en = {
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
} as const

/** Every string of the pages. Flat keys; plural forms end in `_one` and `_other`. */
export type Texts = Readonly<Record<keyof typeof en, string>>
