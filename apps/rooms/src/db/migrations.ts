import type { Migration } from '@latchkey/database/migrate'
import { schema } from './migrations/0001-schema.ts'
import { fileTotals } from './migrations/0002-file-totals.ts'
import { foldedText } from './migrations/0003-folded-text.ts'
import { roomsForEveryone } from './migrations/0004-rooms-for-everyone.ts'
import { retentionMaximum } from './migrations/0005-retention-maximum.ts'
import { readMarks } from './migrations/0006-read-marks.ts'
import { people } from './migrations/0007-people.ts'
import { directs } from './migrations/0008-directs.ts'
import { callAlerts } from './migrations/0010-call-alerts.ts'
import { groups } from './migrations/0012-groups.ts'
import { drafts } from './migrations/0013-drafts.ts'
import { roomsByActivity } from './migrations/0014-rooms-by-activity.ts'
import { accessLayer } from './migrations/0015-access-layer.ts'

export const migrations: Readonly<Record<string, Migration>> = {
  '0001-schema': schema,
  '0002-file-totals': fileTotals,
  '0003-folded-text': foldedText,
  '0004-rooms-for-everyone': roomsForEveryone,
  '0005-retention-maximum': retentionMaximum,
  '0006-read-marks': readMarks,
  '0007-people': people,
  '0008-directs': directs,
  '0010-call-alerts': callAlerts,
  '0012-groups': groups,
  '0013-drafts': drafts,
  '0014-rooms-by-activity': roomsByActivity,
  '0015-access-layer': accessLayer,
}
