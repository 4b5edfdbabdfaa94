import { Stack, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSearch } from '@latchkey/web/icons'
import { Notice } from '@latchkey/web/parts/notice'
import { RowSkeletons } from '@latchkey/web/parts/skeletons'
import { useQueryString } from '@latchkey/web/query-string'
import { ErrorNotice } from '@latchkey/web/shell/error-boundary'
import { PersonName } from '../../people/person-name.tsx'
import { PersonStatus, PresenceAvatar } from '../../people/person-status.tsx'
import { usePeople } from '../../people/use-people.ts'
import { LoadMore } from '../../parts/load-more.tsx'
import { usePages } from '../../queries.ts'
import { useText } from '../../texts/text.ts'

const SEARCH_AFTER_MS = 250

/** Everyone with an account, by name. */
export default function PeoplePage() {
  const { t } = useText()
  const [{ q }, setQuery] = useQueryString({ q: '' })
  return (
    <Stack gap="lg" maw={720}>
      <TextInput
        type="search"
        aria-label={t('people.search')}
        placeholder={t('people.search')}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={q}
        onChange={({ currentTarget }) => setQuery({ q: currentTarget.value }, { isTyping: true })}
        maw={420}
      />
      <People q={q.trim()} />
    </Stack>
  )
}

function People({ q }: { q: string }) {
  const { t } = useText()
  const [search] = useDebouncedValue(q, SEARCH_AFTER_MS)
  const { pages, error, retry, ...next } = usePages(
    'people',
    'listPeople',
    search === '' ? {} : { query: { q: search } },
  )
  const listed = pages?.flatMap((page) => page.people) ?? []
  const changed = usePeople(listed.map(({ id }) => id))
  if (error && !pages) return <ErrorNotice error={error} onRetry={retry} />
  if (!pages) return <RowSkeletons rows={8} />
  if (listed.length === 0) return <Notice title={t('people.none')} />
  return (
    <div>
      <ul className="plain room-rows" aria-label={t('nav.people')}>
        {listed.map((read) => {
          const person = changed.get(read.id) ?? read
          return (
            <li key={person.id} className="people-row">
              <PresenceAvatar person={person} size={36} />
              <div style={{ minWidth: 0 }}>
                <PersonName userId={person.id} nickname={person.nickname} className="author" />
                {person.title !== null && <div className="people-title">{person.title}</div>}
              </div>
              <PersonStatus status={person.status} />
            </li>
          )
        })}
      </ul>
      <LoadMore more={next.more} isReading={next.isReading} error={next.moreError} />
    </div>
  )
}
