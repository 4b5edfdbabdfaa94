// Preloaded into the command, makes it the next version: one more migration of Links.
import { migrations } from '@latchkey/links/db/migrations'

Object.assign(migrations, { '9999-next': async () => {} })
