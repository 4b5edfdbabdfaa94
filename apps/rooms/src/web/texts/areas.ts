import { type TextKey as KeyOf, mergeAreas } from '@latchkey/web/texts'
import * as account from './areas/account.ts'
import * as admin from './areas/admin.ts'
import * as audit from './areas/audit.ts'
import * as errors from './areas/errors.ts'
import * as instance from './areas/instance.ts'
import * as lobby from './areas/lobby.ts'
import * as manage from './areas/manage.ts'
import * as room from './areas/room.ts'
import * as shell from './areas/shell.ts'

/** Every string of the pages. Flat keys; plural forms end in `_one` and `_other`. */
export const texts = mergeAreas([account, admin, audit, errors, instance, lobby, manage, room, shell])

export type OwnKey = KeyOf<typeof texts.en>
