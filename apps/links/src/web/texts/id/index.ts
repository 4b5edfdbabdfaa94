import shared from '@latchkey/web/texts/id/shared'
import analytics from './analytics.ts'
import bundles from './bundles.ts'
import charts from './charts.ts'
import dashboard from './dashboard.ts'
import errors from './errors.ts'
import history from './history.ts'
import keys from './keys.ts'
import link from './link.ts'
import links from './links.ts'
import settings from './settings.ts'
import share from './share.ts'
import shell from './shell.ts'
import transfer from './transfer.ts'

export default {
  ...shared,
  ...analytics,
  ...bundles,
  ...charts,
  ...dashboard,
  ...errors,
  ...history,
  ...keys,
  ...link,
  ...links,
  ...settings,
  ...share,
  ...shell,
  ...transfer,
}
