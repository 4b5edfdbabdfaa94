import { Select, TextInput } from '@mantine/core'
import { filterOptions } from '@latchkey/web/filter-options'
import type { Result } from '../call.ts'
import { useCall } from '../queries.ts'
import type { User } from '../session.ts'
import { useDirects, useFollowedRooms } from '../sidebar/lobby.ts'
import { useText } from '../texts/text.ts'
import { CONTENTS, PERIODS, type SearchFields } from './use-search.ts'

interface Props {
  user: User
  fields: SearchFields
  change: (changes: Partial<SearchFields>) => void
  results: Result<'searchMessages'>['results'] | undefined
}

/** Room, author, time and content of the messages. */
export function SearchFilters(props: Props) {
  const { t } = useText()
  const { fields, change } = props
  return (
    <div className="search-filters">
      <Select
        label={t('search.room')}
        data={[{ value: '', label: t('search.allRooms') }, ...useRooms(props)]}
        value={fields.room}
        onChange={(room) => change({ room: room ?? '', from: '' })}
        searchable
        filter={filterOptions}
        allowDeselect={false}
        nothingFoundMessage={t('palette.none')}
      />
      <Select
        label={t('search.from')}
        data={[{ value: '', label: t('search.anyone') }, ...useAuthors(props)]}
        value={fields.from}
        onChange={(from) => change({ from: from ?? '' })}
        searchable
        filter={filterOptions}
        allowDeselect={false}
        nothingFoundMessage={t('palette.none')}
      />
      <Select
        label={t('search.period')}
        data={PERIODS.map((value) => ({ value, label: t(`search.period.${value}`) }))}
        value={fields.period}
        onChange={(period) => change({ period: period ?? 'any' })}
        allowDeselect={false}
      />
      <Select
        label={t('search.has')}
        data={CONTENTS.map((value) => ({ value, label: t(`search.has.${value}`) }))}
        value={fields.has}
        onChange={(has) => change({ has: has ?? 'anything' })}
        allowDeselect={false}
      />
      {fields.period === 'range' && (
        <>
          <TextInput
            type="date"
            label={t('search.firstDay')}
            value={fields.firstDay}
            max={fields.lastDay}
            onChange={({ currentTarget }) => change({ firstDay: currentTarget.value })}
          />
          <TextInput
            type="date"
            label={t('search.lastDay')}
            value={fields.lastDay}
            min={fields.firstDay}
            onChange={({ currentTarget }) => change({ lastDay: currentTarget.value })}
          />
        </>
      )}
    </div>
  )
}

interface Choice {
  value: string
  label: string
}

/** The rooms that the user follows, direct conversations, and the chosen one. */
function useRooms({ fields }: Props): Choice[] {
  const [followed, directs] = [useFollowedRooms() ?? [], useDirects() ?? []]
  const { data } = useRoom(fields.room)
  const rooms = [...followed, ...directs, ...(data ? [data.room] : [])]
  return choicesOf(rooms.map(({ id, name }) => ({ value: id, label: name })))
}

/** The user, the people in the room, and the authors of the results. */
function useAuthors({ user, results = [], fields }: Props): Choice[] {
  const { t } = useText()
  const present = useRoom(fields.room).data?.participants ?? []
  const authors = results.map(({ message }) => message)
  return choicesOf([
    { value: user.id, label: t('search.me') },
    ...[...present, ...authors].flatMap(({ userId, nickname }) =>
      userId === null ? [] : [{ value: userId, label: nickname }],
    ),
  ])
}

function useRoom(id: string) {
  return useCall('room', 'getRoom', { params: { id } }, id !== '')
}

/** Removes repeated values. */
function choicesOf(choices: readonly Choice[]): Choice[] {
  return [...new Map(choices.toReversed().map((choice) => [choice.value, choice])).values()].toReversed()
}
