import { Button, Popover, Text, TextInput, UnstyledButton } from '@mantine/core'
import { foldText } from '@latchkey/http/fold'
import { isComposing } from '@latchkey/web/composing'
import { IconPlus } from '@latchkey/web/icons'
import { type KeyboardEvent, useRef, useState } from 'react'
import { Link } from 'wouter'
import type { Result } from '../../call.ts'
import { BundleDot } from '../../parts/bundle-chip.tsx'
import { useText } from '../../texts/text.ts'
import { useAllBundles } from '../bundles/use-all-bundles.ts'

type Bundle = Result<'listBundles'>[number]

interface Props {
  /** Ids of bundles that the link is in. */
  excluded: readonly number[]
  onPick: (bundle: Bundle) => void
}

/** A button that opens the bundles to add the link to, with a search. */
export function BundlePicker({ excluded, onPick }: Props) {
  const { t } = useText()
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      trapFocus
      returnFocus
      width={280}
      position="bottom-start"
      withinPortal
    >
      <Popover.Target>
        <Button
          ref={button}
          className="add-to-bundle"
          size="compact-sm"
          variant="subtle"
          color="gray"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => setOpen(!isOpen)}
        >
          {t('bundles.addLink')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown p="xs" aria-label={t('bundles.choose')}>
        <Choices
          excluded={excluded}
          onPick={(bundle) => {
            // The chosen button disappears, and a toast would take the focus.
            button.current?.focus()
            setOpen(false)
            onPick(bundle)
          }}
        />
      </Popover.Dropdown>
    </Popover>
  )
}

/** More are found by typing. */
const MAX_SHOWN = 50

function Choices({ excluded, onPick }: Props) {
  const { t } = useText()
  const { data } = useAllBundles()
  const [text, setText] = useState('')
  const words = foldText(text).split(/\s+/)
  const choices = (data ?? [])
    .filter(({ id, name }) => !excluded.includes(id) && words.every((word) => foldText(name).includes(word)))
    .slice(0, MAX_SHOWN)
  return (
    <div onKeyDown={moveFocus}>
      <TextInput
        type="search"
        data-autofocus
        aria-label={t('bundles.choose')}
        placeholder={t('bundles.choose')}
        autoComplete="off"
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <ul className="plain picker">
        {choices.map((bundle) => (
          <li key={bundle.id}>
            <UnstyledButton className="picker-choice" onClick={() => onPick(bundle)}>
              <BundleDot {...bundle} />
              <bdi>{bundle.name}</bdi>
            </UnstyledButton>
          </li>
        ))}
      </ul>
      {data && choices.length === 0 && (
        <Text size="sm" c="dimmed" p="xs" role="status">
          {t(text === '' ? 'bundles.noneToChoose' : 'bundles.noMatch')}{' '}
          {text === '' && <Link href="/bundles">{t('bundles.open')}</Link>}
        </Text>
      )}
    </div>
  )
}

/** Arrow keys move between the search and the choices. Enter in the search takes the first choice. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const { key, currentTarget } = event
  if (isComposing(event)) return
  const stops = [...currentTarget.querySelectorAll<HTMLElement>('input, button')]
  const index = stops.indexOf(document.activeElement as HTMLElement)
  if (key === 'Enter' && index === 0) stops[1]?.click()
  else if (key === 'ArrowDown') stops[index + 1]?.focus()
  else if (key === 'ArrowUp') stops[index - 1]?.focus()
  else return
  event.preventDefault()
}
