import { ShortcutSheet as Sheet } from '@latchkey/web/shell/shortcut-sheet'
import type { ComponentProps } from 'react'
import { keysText } from '@latchkey/web/keys'
import { type TextKey, useText } from '../texts/text.ts'

const SHORTCUTS: readonly (readonly [text: TextKey, keys: string])[] = [
  ['shortcuts.palette', keysText('Mod', 'K')],
  ['shell.newLink', 'C'],
  ['shortcuts.search', '/'],
  ['nav.dashboard', 'G D'],
  ['nav.links', 'G L'],
  ['nav.bundles', 'G B'],
  ['nav.keys', 'G K'],
  ['nav.importExport', 'G I'],
  ['nav.settings', 'G S'],
  ['shortcuts.sheet', '?'],
]

/** Lists the shortcuts of Links. */
export default function ShortcutSheet(props: Omit<ComponentProps<typeof Sheet>, 'groups'>) {
  const { t } = useText()
  return (
    <Sheet {...props} groups={[{ shortcuts: SHORTCUTS.map(([text, keys]) => [t(text), keys] as const) }]} />
  )
}
