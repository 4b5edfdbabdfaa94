import { foldText } from '@latchkey/http/fold'
import { Kbd, Modal, Text, VisuallyHidden } from '@mantine/core'
import { type KeyboardEvent, type ReactNode, useEffect, useState } from 'react'
import { isComposing } from '../composing.ts'
import { IconSearch } from '../icons.ts'
import { useTexts } from '../texts.ts'

/** A line of the palette. */
export interface PaletteAction {
  id: string
  label: string
  description?: string
  icon: ReactNode
  /** The keys that do the same, separated by spaces. */
  shortcut?: string
  /** Runs after the palette has closed and returned the focus. */
  run: () => unknown
}

export interface PaletteGroup {
  label: string
  actions: readonly PaletteAction[]
}

interface Props {
  isOpen: boolean
  /** Closes the palette and returns the focus. */
  close: () => void
  label: string
  /** A hook: the groups that match the typed text, without empty ones. */
  useGroups: (query: string) => readonly PaletteGroup[]
}

/** A dialog that finds pages and actions by what is typed. */
export function Palette({ isOpen, close, label, useGroups }: Props) {
  return (
    <Modal.Root
      opened={isOpen}
      onClose={close}
      size={600}
      yOffset="10vh"
      padding={0}
      returnFocus={false}
      transitionProps={{ duration: 0 }}
    >
      <Modal.Overlay />
      <Modal.Content aria-label={label}>
        <Modal.Body>
          <Search close={close} label={label} useGroups={useGroups} />
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}

/** Whether the label contains each word of the query, in any order. */
export function matches(query: string, { label }: Pick<PaletteAction, 'label'>): boolean {
  const text = foldText(label)
  return foldText(query)
    .split(/\s+/)
    .every((word) => text.includes(word))
}

/** A combobox whose list is always open (WAI-ARIA). */
function Search({ close, label, useGroups }: Omit<Props, 'isOpen'>) {
  const { t } = useTexts<string>()
  const [text, setText] = useState('')
  const groups = useGroups(text.trim())
  const actions = groups.flatMap((group) => group.actions)
  const [chosenId, setChosenId] = useState('')
  const active = actions.find(({ id }) => id === chosenId) ?? actions[0]
  const run = (action: PaletteAction) => {
    close()
    setTimeout(action.run)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event) || !active) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined && event.key !== 'Enter') return
    event.preventDefault()
    if (step === undefined) run(active)
    else setChosenId(actions.at((actions.indexOf(active) + step) % actions.length)?.id ?? '')
  }
  return (
    <>
      <div className="palette-search">
        <IconSearch size={18} stroke={1.8} aria-hidden />
        <input
          data-autofocus
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-autocomplete="list"
          aria-activedescendant={active && `palette-${active.id}`}
          aria-label={label}
          placeholder={label}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value)
            setChosenId('')
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <List groups={groups} active={active} onChoose={setChosenId} onRun={run} />
      <VisuallyHidden role="status">{t('palette.results', { count: actions.length })}</VisuallyHidden>
    </>
  )
}

interface ListProps {
  groups: readonly PaletteGroup[]
  active: PaletteAction | undefined
  onChoose: (id: string) => void
  onRun: (action: PaletteAction) => void
}

function List({ groups, active, onChoose, onRun }: ListProps) {
  const { t } = useTexts()
  return (
    <>
      {/* The list itself must not take the focus by Tab, as scrolled elements do. */}
      <div
        id="palette-list"
        role="listbox"
        tabIndex={-1}
        className="palette-list"
        aria-label={t('palette.found')}
      >
        {groups.map(({ label, actions }) => (
          <div key={label} role="group" aria-label={label}>
            <div className="palette-group" aria-hidden>
              {label}
            </div>
            {actions.map((action) => (
              <Option
                key={action.id}
                action={action}
                isActive={action === active}
                onChoose={() => onChoose(action.id)}
                onRun={() => onRun(action)}
              />
            ))}
          </div>
        ))}
      </div>
      {groups.length === 0 && (
        <Text c="dimmed" ta="center" p="lg">
          {t('palette.none')}
        </Text>
      )}
    </>
  )
}

interface OptionProps {
  action: PaletteAction
  isActive: boolean
  onChoose: () => void
  onRun: () => void
}

function Option({ action, isActive, onChoose, onRun }: OptionProps) {
  const { id, label, description, icon, shortcut } = action
  useEffect(() => {
    if (isActive) document.getElementById(`palette-${id}`)?.scrollIntoView({ block: 'nearest' })
  }, [id, isActive])
  return (
    // The field has the focus and handles the keys.
    <div
      id={`palette-${id}`}
      role="option"
      aria-selected={isActive}
      className="palette-option"
      onMouseMove={onChoose}
      onMouseDown={(event) => event.preventDefault()}
      onClick={onRun}
    >
      {icon}
      <span className="palette-text">
        <bdi className="palette-label">{label}</bdi>
        {description !== undefined && <bdi className="palette-description">{description}</bdi>}
      </span>
      <span className="palette-keys" aria-hidden>
        {shortcut?.split(' ').map((key) => (
          <Kbd key={key} size="xs">
            {key}
          </Kbd>
        ))}
      </span>
    </div>
  )
}
