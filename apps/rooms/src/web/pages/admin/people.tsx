import { Button, Group, Stack } from '@mantine/core'
import { useQueryString } from '@latchkey/web/query-string'
import { showSuccess } from '@latchkey/web/toast'
import { useState } from 'react'
import { call } from '../../call.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { useFocusWhenGone } from '@latchkey/web/focus-when-gone'
import { Section } from '../../parts/section.tsx'
import { invalidate, usePages } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import { Listing } from './listing.tsx'
import { PersonLine } from './person-line.tsx'
import { AdminRefusal } from './refusal.tsx'
import { Search } from './search.tsx'

const MIN_SEARCH_LENGTH = 2

export function People() {
  const { t } = useText()
  const [{ q }, setQuery] = useQueryString({ part: 'people', q: '' })
  const list = usePages('admin', 'listUsers', { query: { q } })
  const people = list.pages?.flatMap(({ users }) => users)
  const place = useFocusWhenGone<HTMLDivElement>(people?.length)
  return (
    <Stack gap="lg">
      <Section title={t('admin.part.people')} isTitleHidden>
        <Search
          label={t('admin.searchPeople')}
          help={t('admin.searchPeopleHelp')}
          q={q}
          minLength={MIN_SEARCH_LENGTH}
          onSearch={(next) => setQuery({ q: next })}
        />
        <Stack gap="md" ref={place} tabIndex={-1} role="group" aria-label={t('admin.part.people')}>
          <Listing list={list} count={people?.length} none={t('admin.noneFound')}>
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
    await invalidate('admin')
  }
  return (
    <Section title={t('admin.guests')} help={t('admin.guestsHelp')}>
      <Group>
        <Button color="red" onClick={() => setAsking(true)}>
          {t('admin.guestsEnd')}
        </Button>
      </Group>
      {isAsking && (
        <ConfirmDialog
          title={t('admin.guestsTitle')}
          help={t('admin.guestsHelp')}
          button={t('admin.guestsEnd')}
          act={end}
          onClose={() => setAsking(false)}
          renderError={(error) => <AdminRefusal error={error} />}
        />
      )}
    </Section>
  )
}
