import shared from '@latchkey/web/texts/sv/shared'
import errors from './errors.ts'
import lobby from './lobby.ts'
import manage from './manage.ts'
import room from './room.ts'
import search from './search.ts'
import shell from './shell.ts'

export default {
  ...shared,
  ...errors,
  ...lobby,
  ...manage,
  ...room,
  ...search,
  ...shell,
}
