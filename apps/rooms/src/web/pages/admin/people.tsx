import { Button, Group, Stack } from '@mantine/core'
import { useQueryString } from '@latchkey/web/query-string'
import { tellDone } from '@latchkey/web/told'
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
  const { say } = useText()
  const [{ q }, setQuery] = useQueryString({ part: 'people', q: '' })
  const list = usePages('admin', 'listUsers', { query: { q } })
  const people = list.pages?.flatMap(({ users }) => users)
  const place = useFocusWhenGone<HTMLDivElement>(people?.length)
  return (
    <Stack gap="lg">
      <Section title={say('admin.part.people')}>
        <Search
          label={say('admin.searchPeople')}
          help={say('admin.searchPeopleHelp')}
          q={q}
          least={LEAST}
          onSearch={(next) => setQuery({ q: next })}
        />
        <Stack gap="md" ref={place} tabIndex={-1} role="group" aria-label={say('admin.part.people')}>
          <Listing list={list} count={people?.length} none={say('admin.nobody')}>
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
  const { say } = useText()
  const [isAsking, setAsking] = useState(false)
  const end = async () => {
    const { revoked } = await call('endGuestSessions', {})
    tellDone(say('admin.ended', { count: revoked }))
    await changed('admin')
  }
  return (
    <Section title={say('admin.guests')} help={say('admin.guestsHelp')}>
      <Group>
        <Button color="red" onClick={() => setAsking(true)}>
          {say('admin.guestsEnd')}
        </Button>
      </Group>
      {isAsking && (
        <Ask
          title={say('admin.guestsTitle')}
          help={say('admin.guestsHelp')}
          button={say('admin.guestsEnd')}
          act={end}
          onClose={() => setAsking(false)}
          explain={(error) => <AdminRefusal error={error} />}
        />
      )}
    </Section>
  )
}
