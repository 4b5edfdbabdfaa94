// A preload that adds a migration to Links, as the next version would.
import { migrations } from '@latchkey/links/db/migrations'

Object.assign(migrations, { '9999-next': async () => {} })
