import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { isNarrow } from '../../../members/search-part.ts'
import { useCall } from '../../queries.ts'
import { useText } from '../../texts/text.ts'

/** Searches have a rate limit (R22), so not every keystroke is one. */
const SEARCH_AFTER_MS = 600

interface Entity {
  id: string
  name: string
}

interface Props {
  label: string
  /** Id of the chosen user or room; empty if none is. */
  value: string
  onChange: (id: string) => void
}

/** Chooses a user by a part of their name. */
export function UserPicker(props: Props) {
  const search = useSearch(props.value, isNarrow)
  const { data } = useCall('admin', 'listUsers', { query: { q: search.q } }, search.q !== '')
  const users = data?.users.map(({ id, nickname }) => ({ id, name: nickname }))
  return <Picker {...props} {...search} entities={users} />
}

/** Chooses a room by a part of its name. */
export function RoomPicker(props: Props) {
  const search = useSearch(props.value, (text) => text !== '')
  const { data } = useCall('admin', 'listAllRooms', { query: { q: search.q } }, search.q !== '')
  return <Picker {...props} {...search} entities={data?.rooms} />
}

interface Search {
  /** The query: the text, or the chosen id, for its name. */
  q: string
  text: string
  setText: (text: string) => void
  isShort: boolean
}

function useSearch(value: string, isLongEnough: (text: string) => boolean): Search {
  const [text, setText] = useState('')
  const [settled] = useDebouncedValue(text.trim(), SEARCH_AFTER_MS)
  const isShort = !isLongEnough(settled)
  return { q: isShort ? value : settled, text, setText, isShort }
}

function Picker({
  label,
  value,
  onChange,
  text,
  setText,
  isShort,
  entities = [],
}: Props & Search & { entities: readonly Entity[] | undefined }) {
  const { t } = useText()
  const [chosen, setChosen] = useState<Entity>()
  const all = [...entities, ...(chosen ? [chosen] : [])]
  const current =
    value === '' ? undefined : (all.find(({ id }) => id === value) ?? { id: value, name: value })
  // The chosen one has to be an option, or its name is not shown.
  const options = current && !entities.some(({ id }) => id === value) ? [current, ...entities] : entities
  const choose = (id: string | null) => {
    setChosen(all.find((entity) => entity.id === id))
    // Its name is not searched for.
    setText('')
    onChange(id ?? '')
  }
  return (
    <Select
      label={label}
      placeholder={t('audit.anyone')}
      data={options.map(({ id, name }) => ({ value: id, label: name }))}
      filter={({ options: every }) => every}
      value={value === '' ? null : value}
      onChange={choose}
      searchable
      searchValue={text === '' && current ? current.name : text}
      onSearchChange={(next) => setText(next === current?.name ? '' : next)}
      clearable
      clearButtonProps={{ 'aria-label': t('audit.clearOne', { label }) }}
      nothingFoundMessage={isShort ? t('audit.typeName') : t('admin.noneFound')}
      comboboxProps={{ withinPortal: true }}
    />
  )
}
