import { ActionIcon } from '@mantine/core'
import {
  type Icon,
  IconBold,
  IconCode,
  IconItalic,
  IconLink,
  IconList,
  IconQuote,
  IconStrikethrough,
} from '@latchkey/web/icons'
import { keysText } from '@latchkey/web/keys'
import { type TextKey, useText } from '../../../texts/text.ts'
import { applyChange, selectionOf } from './apply-change.ts'
import { type Change, linkSelection, toggleLines, toggleMarks } from './format.ts'

type Format = (selected: ReturnType<typeof selectionOf>) => Change

const FORMATS: readonly (readonly [key: TextKey, icon: Icon, keys: string, format: Format])[] = [
  ['format.bold', IconBold, 'B', (selected) => toggleMarks(selected, '**')],
  ['format.italic', IconItalic, 'I', (selected) => toggleMarks(selected, '*')],
  ['format.strike', IconStrikethrough, 'Shift X', (selected) => toggleMarks(selected, '~~')],
  ['format.code', IconCode, 'E', (selected) => toggleMarks(selected, '`')],
  ['format.link', IconLink, 'Shift U', (selected) => linkSelection(selected)],
  ['format.quote', IconQuote, 'Shift 9', (selected) => toggleLines(selected, '> ')],
  ['format.list', IconList, 'Shift 8', (selected) => toggleLines(selected, '- ')],
]

/** Buttons for the formats, which keys have as well. */
export function FormatBar({ field }: { field: { current: HTMLTextAreaElement | null } }) {
  const { t } = useText()
  return (
    <div className="format-bar" role="group" aria-label={t('format.label')}>
      {FORMATS.map(([key, Drawing, keys, format]) => (
        <ActionIcon
          key={key}
          variant="subtle"
          color="gray"
          size={30}
          // The keys are faster than these. The field is one tab stop before the button that sends.
          tabIndex={-1}
          aria-label={t(key)}
          data-tooltip={`${t(key)} (${keysText('Mod', ...keys.split(' '))})`}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => field.current && applyChange(field.current, format(selectionOf(field.current)))}
        >
          <Drawing size={17} stroke={1.8} aria-hidden />
        </ActionIcon>
      ))}
    </div>
  )
}
