import { TextInput } from '@mantine/core'
import { IconSearch } from '@latchkey/web/icons'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { type TextKey, useText } from '../../../texts/text.ts'
import { CATEGORIES, type Emoji, emojiOf, searchEmoji } from './emoji-search.ts'
import { frequentEmoji } from './frequent.ts'

const MAX_RESULTS = 96
const COLUMNS = 8

/** A sign for each category, in the order of Unicode. */
const SIGNS = ['😀', '👋', '🌱', '🍎', '🚗', '⚽', '💡', '❤️', '🏁']
const CATEGORY_KEYS: readonly TextKey[] = [
  'emoji.smileys',
  'emoji.people',
  'emoji.nature',
  'emoji.food',
  'emoji.travel',
  'emoji.activities',
  'emoji.objects',
  'emoji.symbols',
  'emoji.flags',
]

/** The emoji, by category or by what is typed. */
export default function EmojiPicker({ onChoose }: { onChoose: (emoji: string) => void }) {
  const { t } = useText()
  const [query, setQuery] = useState('')
  const [category, setCategory] = useState(0)
  const emoji = query === '' ? emojiOf(CATEGORIES[category] ?? '') : searchEmoji(query, MAX_RESULTS)
  const field = useRef<HTMLInputElement>(null)
  // The dialog opened before this was loaded.
  useEffect(() => field.current?.focus(), [])
  const frequent = frequentEmoji().map((sign) => ({ emoji: sign, name: sign }))
  return (
    <div className="emoji-picker">
      <TextInput
        ref={field}
        aria-label={t('emoji.search')}
        placeholder={t('emoji.search')}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={query}
        onChange={({ currentTarget }) => setQuery(currentTarget.value.replaceAll(':', '').trim())}
        onKeyDown={({ key }) => {
          if (key === 'Enter' && query !== '' && emoji[0]) onChoose(emoji[0].emoji)
        }}
      />
      {query === '' && (
        <>
          <EmojiGrid label={t('emoji.frequent')} emoji={frequent} onChoose={onChoose} />
          <div className="emoji-categories" role="group" aria-label={t('emoji.categories')}>
            {SIGNS.map((sign, index) => (
              <button
                key={sign}
                type="button"
                className="emoji-category"
                aria-pressed={index === category}
                aria-label={t(CATEGORY_KEYS[index] ?? 'emoji.search')}
                data-tooltip={t(CATEGORY_KEYS[index] ?? 'emoji.search')}
                onClick={() => setCategory(index)}
              >
                {sign}
              </button>
            ))}
          </div>
        </>
      )}
      <EmojiGrid
        label={query === '' ? t(CATEGORY_KEYS[category] ?? 'emoji.search') : t('palette.found')}
        emoji={emoji}
        onChoose={onChoose}
        isScrolled
      />
      {emoji.length === 0 && <p className="emoji-none">{t('palette.none')}</p>}
    </div>
  )
}

interface GridProps {
  label: string
  emoji: readonly Pick<Emoji, 'emoji' | 'name'>[]
  onChoose: (emoji: string) => void
  isScrolled?: boolean
}

/** Rows of emoji. One tab stop: the arrow keys lead to the others. */
function EmojiGrid({ label, emoji, onChoose, isScrolled = false }: GridProps) {
  return (
    <div
      className={isScrolled ? 'emoji-grid emoji-scrolled' : 'emoji-grid'}
      role="group"
      aria-label={label}
      onKeyDown={moveInGrid}
    >
      {emoji.map((entry, index) => (
        <button
          key={entry.emoji}
          type="button"
          tabIndex={index === 0 ? 0 : -1}
          aria-label={entry.name}
          title={entry.name === entry.emoji ? undefined : `:${entry.name}:`}
          onClick={() => onChoose(entry.emoji)}
        >
          {entry.emoji}
        </button>
      ))}
    </div>
  )
}

const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  ArrowUp: -COLUMNS,
  ArrowDown: COLUMNS,
}

function moveInGrid(event: KeyboardEvent<HTMLElement>): void {
  const step = STEPS[event.key]
  if (step === undefined) return
  event.preventDefault()
  const buttons = [...event.currentTarget.querySelectorAll('button')]
  const at = buttons.findIndex((button) => button === document.activeElement)
  buttons[Math.max(0, Math.min(at + step, buttons.length - 1))]?.focus()
}
