// A preload that adds a migration to both services, as the next version would.
import { migrationNotes as linksNotes } from '@latchkey/links/db/migration-notes'
import { migrations as linksMigrations } from '@latchkey/links/db/migrations'
import { migrationNotes as roomsNotes } from '@latchkey/rooms/db/migration-notes'
import { migrations as roomsMigrations } from '@latchkey/rooms/db/migrations'

for (const migrations of [linksMigrations, roomsMigrations])
  Object.assign(migrations, { '9999-next': async () => {} })
for (const notes of [linksNotes, roomsNotes]) Object.assign(notes, { '9999-next': 'Changes nothing' })
