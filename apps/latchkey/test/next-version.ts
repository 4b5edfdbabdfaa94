// A preload that adds a migration to Links, as the next version would.
import { migrationNotes } from '@latchkey/links/db/migration-notes'
import { migrations } from '@latchkey/links/db/migrations'

Object.assign(migrations, { '9999-next': async () => {} })
Object.assign(migrationNotes, { '9999-next': 'Changes nothing' })
