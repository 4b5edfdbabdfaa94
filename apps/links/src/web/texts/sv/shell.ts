import type en from '../en/shell.ts'

export default {
  'app.name': 'Latchkey Links',
  'nav.dashboard': 'Översikt',
  'nav.links': 'Länkar',
  'nav.bundles': 'Samlingar',
  'nav.keys': 'API-nycklar',
  'nav.importExport': 'Import och export',
  'nav.settings': 'Inställningar',
  'shell.search': 'Sök sidor och åtgärder',
  'shell.noCommand': 'Inget med det namnet',
  'page.toDashboard': 'Till översikten',
  'shell.newLink': 'Skapa en ny länk',
  'shell.light': 'Använd ljusa färger',
  'shell.dark': 'Använd mörka färger',
  'shell.pages': 'Sidor',
  'shell.actions': 'Åtgärder',
  'shell.findLink': 'Länkar',
  'shell.searchLinks': 'Sök länkar efter ”{{words}}”',
} satisfies Record<keyof typeof en, string>
