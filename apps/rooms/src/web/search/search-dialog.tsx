import { CloseButton, Modal, VisuallyHidden } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { isComposing } from '@latchkey/web/composing'
import { IconSearch } from '@latchkey/web/icons'
import { type KeyboardEvent, useRef } from 'react'
import type { User } from '../session.ts'
import { useText } from '../texts/text.ts'
import { SearchFilters } from './filters.tsx'
import { closeSearch, useSearchStart } from './open-search.ts'
import { SearchResults } from './results.tsx'
import { useResults, useSearchFields } from './use-search.ts'

/** Search of messages, over any page. It keeps what was entered, for the next result. */
export default function SearchDialog({ user }: { user: User }) {
  const { t } = useText()
  const start = useSearchStart()
  const search = useSearchFields(start)
  const results = useResults(search.fields)
  const list = useRef<HTMLDivElement>(null)
  const isNarrow = useMediaQuery('(width < 48em)', undefined, { getInitialValueInEffect: false })
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event) || (event.key !== 'ArrowDown' && event.key !== 'Enter')) return
    event.preventDefault()
    const first = list.current?.querySelector<HTMLElement>('[data-result]')
    if (event.key === 'ArrowDown') first?.focus()
    else if (results.isCurrent) first?.click()
    else results.searchNow()
  }
  return (
    <Modal.Root
      opened={start !== null}
      onClose={closeSearch}
      size={720}
      yOffset="8vh"
      padding={0}
      returnFocus={false}
      fullScreen={isNarrow}
      transitionProps={{ duration: 0 }}
    >
      <Modal.Overlay />
      <Modal.Content aria-label={t('search.title')} className="search">
        <Modal.Body className="search-body">
          <div className="search-field">
            <IconSearch size={18} stroke={1.8} aria-hidden />
            <input
              data-autofocus
              type="search"
              enterKeyHint="search"
              aria-label={t('search.title')}
              placeholder={t('search.title')}
              autoComplete="off"
              spellCheck={false}
              maxLength={1000}
              value={search.fields.q}
              onChange={({ currentTarget }) => search.change({ q: currentTarget.value })}
              onKeyDown={onKeyDown}
            />
            <VisuallyHidden role="status">
              {!results.isBlank && results.results && !results.isOld
                ? t(results.more ? 'search.countMore' : 'search.count', { count: results.results.length })
                : ''}
            </VisuallyHidden>
            <CloseButton onClick={closeSearch} aria-label={t('shell.close')} />
          </div>
          <SearchFilters user={user} results={results.results} {...search} />
          <div ref={list} className="search-results">
            <SearchResults {...results} isInRoom={search.fields.room !== ''} />
          </div>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}
