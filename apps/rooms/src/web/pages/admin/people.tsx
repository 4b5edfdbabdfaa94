import { Button, Group, Stack } from '@mantine/core'
import { useQueryString } from '@latchkey/web/query-string'
import { showSuccess } from '@latchkey/web/toast'
import { useState } from 'react'
import { call } from '../../call.ts'
import { Ask } from '../../parts/ask.tsx'
import { useFocusWhenGone } from '@latchkey/web/focus-when-gone'
import { Section } from '../../parts/section.tsx'
import { changed, usePages } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import { Listing } from './listing.tsx'
import { PersonLine } from './person-line.tsx'
import { AdminRefusal } from './refusal.tsx'
import { Search } from './search.tsx'

const LEAST = 2

export function People() {
  const { t } = useText()
  const [{ q }, setQuery] = useQueryString({ part: 'people', q: '' })
  const list = usePages('admin', 'listUsers', { query: { q } })
  const people = list.pages?.flatMap(({ users }) => users)
  const place = useFocusWhenGone<HTMLDivElement>(people?.length)
  return (
    <Stack gap="lg">
      <Section title={t('admin.part.people')}>
        <Search
          label={t('admin.searchPeople')}
          help={t('admin.searchPeopleHelp')}
          q={q}
          least={LEAST}
          onSearch={(next) => setQuery({ q: next })}
        />
        <Stack gap="md" ref={place} tabIndex={-1} role="group" aria-label={t('admin.part.people')}>
          <Listing list={list} count={people?.length} none={t('admin.nobody')}>
            <ul className="plain rows">
              {people?.map((person) => (
                <PersonLine key={person.id} person={person} />
              ))}
            </ul>
          </Listing>
        </Stack>
      </Section>
      <Guests />
    </Stack>
  )
}

function Guests() {
  const { t } = useText()
  const [isAsking, setAsking] = useState(false)
  const end = async () => {
    const { revoked } = await call('endGuestSessions', {})
    showSuccess(t('admin.ended', { count: revoked }))
    await changed('admin')
  }
  return (
    <Section title={t('admin.guests')} help={t('admin.guestsHelp')}>
      <Group>
        <Button color="red" onClick={() => setAsking(true)}>
          {t('admin.guestsEnd')}
        </Button>
      </Group>
      {isAsking && (
        <Ask
          title={t('admin.guestsTitle')}
          help={t('admin.guestsHelp')}
          button={t('admin.guestsEnd')}
          act={end}
          onClose={() => setAsking(false)}
          explain={(error) => <AdminRefusal error={error} />}
        />
      )}
    </Section>
  )
}
