import { keysText } from '@latchkey/web/keys'
import { type ShortcutGroup, ShortcutSheet as Sheet } from '@latchkey/web/shell/shortcut-sheet'
import { addTexts } from '@latchkey/web/texts'
import type { ComponentProps } from 'react'
import { SEARCH_SHORTCUT } from '../search/open-search.ts'
import { callTexts } from '../texts/call.ts'
import { shortcutTexts } from '../texts/shortcuts.ts'
import { useText } from '../texts/text.ts'
import { shortcutText } from '../voice/view/shortcuts.ts'

/** The list of shortcuts, with its texts and those of calls. */
export async function loadShortcutSheet() {
  await Promise.all([addTexts(shortcutTexts), addTexts(callTexts)])
  return { default: ShortcutSheet }
}

/** Lists the shortcuts of Rooms. */
function ShortcutSheet(props: Omit<ComponentProps<typeof Sheet>, 'groups'>) {
  const { t } = useText()
  const groups: readonly ShortcutGroup[] = [
    {
      title: t('shortcuts.everywhere'),
      shortcuts: [
        [t('sidebar.jump'), keysText('Mod', 'K')],
        [t('search.title'), SEARCH_SHORTCUT],
        [t('shortcuts.sheet'), '?'],
      ],
    },
    {
      title: t('shortcuts.write'),
      shortcuts: [
        [t('room.send'), 'Enter'],
        [t('shortcuts.newLine'), keysText('Shift', 'Enter')],
        [t('shortcuts.editLast'), '↑'],
        [t('shortcuts.people'), '@'],
        [t('shortcuts.rooms'), '#'],
        [t('room.emoji'), ':'],
        [t('format.bold'), keysText('Mod', 'B')],
        [t('format.italic'), keysText('Mod', 'I')],
        [t('format.strike'), keysText('Mod', 'Shift', 'X')],
        [t('format.code'), keysText('Mod', 'E')],
        [t('format.link'), keysText('Mod', 'Shift', 'U')],
        [t('format.quote'), keysText('Mod', 'Shift', '9')],
        [t('format.list'), keysText('Mod', 'Shift', '8')],
      ],
    },
    {
      title: t('room.messages'),
      shortcuts: [
        [t('shortcuts.otherMessage'), '↑ ↓'],
        [t('shortcuts.firstLast'), 'Home End'],
        [t('shortcuts.toolbar'), 'Enter'],
        [t('room.reply'), 'R'],
        [t('room.edit'), 'E'],
        [t('room.pin'), 'P'],
        [t('room.markUnread'), 'U'],
        [t('room.react'), '+'],
        [t('shortcuts.cancel'), 'Esc'],
        [t('shortcuts.images'), '← →'],
      ],
    },
    {
      title: t('call.title'),
      shortcuts: [
        [t('call.microphone'), shortcutText('microphone')],
        [t('call.keys.talk'), t('call.keys.space')],
        [t('call.camera'), shortcutText('camera')],
        [t('call.keys.hand'), shortcutText('hand')],
        [t('call.answer'), shortcutText('answer')],
        [t('call.decline'), shortcutText('decline')],
      ],
    },
  ]
  return <Sheet {...props} groups={groups} />
}
