// A preload that changes both services as the next version would: it adds a migration,
// renames a setting, and has another one in the place of a third.
import { migrationNotes as linksNotes } from '@latchkey/links/db/migration-notes'
import { migrations as linksMigrations } from '@latchkey/links/db/migrations'
import { migrationNotes as roomsNotes } from '@latchkey/rooms/db/migration-notes'
import { declarations as linksDeclarations } from '@latchkey/links/settings/declarations'
import { migrations as roomsMigrations } from '@latchkey/rooms/db/migrations'

for (const migrations of [linksMigrations, roomsMigrations])
  Object.assign(migrations, { '9999-next': async () => {} })
for (const notes of [linksNotes, roomsNotes]) Object.assign(notes, { '9999-next': 'Changes nothing' })

const { rateLimit, retentionDays } = linksDeclarations
Object.assign(linksDeclarations, {
  rateLimit: { ...rateLimit, name: 'LINKS_REQUESTS', formerName: rateLimit.name },
  retentionDays: { ...retentionDays, name: 'LINKS_CLICK_DAYS' },
})
