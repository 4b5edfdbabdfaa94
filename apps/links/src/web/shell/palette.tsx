import { Kbd, Modal, Text, VisuallyHidden } from '@mantine/core'
import { isComposing } from '@latchkey/web/composing'
import { IconSearch } from '@latchkey/web/icons'
import { type KeyboardEvent, useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { pages } from '../pages.tsx'
import { useText } from '../texts/text.ts'
import {
  type PaletteAction,
  matches,
  useBundleActions,
  useGeneralActions,
  useKeyActions,
  useLinkResults,
  useOpenLinkActions,
  useSettingActions,
} from './palette-actions.tsx'
import { PAGE_KEYS } from './shortcuts.ts'

interface Props {
  isOpen: boolean
  /** Closes the palette and returns the focus. */
  close: () => void
  showShortcuts: () => void
}

/** Search for pages, actions, links, bundles, keys and settings, on any page with Ctrl+K or Cmd+K. */
export default function Palette({ isOpen, close, showShortcuts }: Props) {
  const { t } = useText()
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
      <Modal.Content aria-label={t('shell.search')}>
        <Modal.Body>
          <Search close={close} showShortcuts={showShortcuts} />
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}

interface Group {
  label: string
  actions: readonly PaletteAction[]
}

const keyOf = (path: string) => Object.entries(PAGE_KEYS).find(([, page]) => page === path)?.[0]

function usePageActions(): PaletteAction[] {
  const { t } = useText()
  const [, go] = useLocation()
  return pages.map((page) => ({
    id: `page-${page.path.slice(1)}`,
    label: t(page.title),
    icon: <page.icon size={18} aria-hidden />,
    shortcut: `G ${keyOf(page.path)?.toUpperCase() ?? ''}`,
    run: () => go(page.path),
  }))
}

/** The actions that match, by the part of the product that they belong to. */
function useGroups(query: string, showShortcuts: () => void): Group[] {
  const { t } = useText()
  const filter = (actions: readonly PaletteAction[]) =>
    query === '' ? actions : actions.filter((action) => matches(query, action))
  const groups = [
    { label: t('shell.openLink'), actions: filter(useOpenLinkActions()) },
    { label: t('shell.pages'), actions: filter(usePageActions()) },
    { label: t('shell.actions'), actions: filter(useGeneralActions(showShortcuts)) },
    { label: t('nav.bundles'), actions: useBundleActions(query) },
    { label: t('nav.keys'), actions: useKeyActions(query) },
    { label: t('nav.settings'), actions: useSettingActions(query) },
  ]
  const links = useLinkResults(query)
  // Without a query, the recent links come after what belongs to the page. With one, the links that
  // the server finds come last and move nothing above them.
  const isRecent = query === ''
  const linkGroup = { label: t(isRecent ? 'shell.recentLinks' : 'shell.findLink'), actions: links }
  return groups
    .toSpliced(isRecent ? 1 : groups.length, 0, linkGroup)
    .filter(({ actions }) => actions.length > 0)
}

/** A combobox whose list is always open (WAI-ARIA). */
function Search({ close, showShortcuts }: Omit<Props, 'isOpen'>) {
  const { t } = useText()
  const [text, setText] = useState('')
  const groups = useGroups(text.trim(), showShortcuts)
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
          aria-label={t('shell.search')}
          placeholder={t('shell.search')}
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
      <VisuallyHidden role="status">{t('shell.results', { count: actions.length })}</VisuallyHidden>
    </>
  )
}

interface ListProps {
  groups: readonly Group[]
  active: PaletteAction | undefined
  onChoose: (id: string) => void
  onRun: (action: PaletteAction) => void
}

function List({ groups, active, onChoose, onRun }: ListProps) {
  const { t } = useText()
  return (
    <>
      {/* The list itself must not take the focus by Tab, as scrolled elements do. */}
      <div
        id="palette-list"
        role="listbox"
        tabIndex={-1}
        className="palette-list"
        aria-label={t('shell.found')}
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
          {t('shell.noCommand')}
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
