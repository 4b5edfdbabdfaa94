import type { Migration } from '@latchkey/database/migrate'
import { identity } from './migrations/0001-identity.ts'
import { rooms } from './migrations/0002-rooms.ts'
import { names } from './migrations/0003-names.ts'
import { references } from './migrations/0004-references.ts'
import { messagesByAuthor } from './migrations/0005-messages-by-author.ts'
import { goneRooms } from './migrations/0006-gone-rooms.ts'
import { auditByTarget } from './migrations/0007-audit-by-target.ts'
import { skeletons } from './migrations/0008-skeletons.ts'
import { manualRoles } from './migrations/0009-manual-roles.ts'
import { bareSkeletons } from './migrations/0010-bare-skeletons.ts'

export const migrations: Readonly<Record<string, Migration>> = {
  '0001-identity': identity,
  '0002-rooms': rooms,
  '0003-names': names,
  '0004-references': references,
  '0005-messages-by-author': messagesByAuthor,
  '0006-gone-rooms': goneRooms,
  '0007-audit-by-target': auditByTarget,
  '0008-skeletons': skeletons,
  '0009-manual-roles': manualRoles,
  '0010-bare-skeletons': bareSkeletons,
}
