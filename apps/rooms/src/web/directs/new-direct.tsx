import { CallError } from '@latchkey/web/call'
import { isComposing } from '@latchkey/web/composing'
import { Alert, Button, Group, Modal, MultiSelect, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { type KeyboardEvent, useState } from 'react'
import { useLocation } from 'wouter'
import { type Pictured, UserAvatar } from '../parts/person.tsx'
import { Refusal } from '../parts/refusal.tsx'
import { useCall } from '../queries.ts'
import { useUser } from '../session.ts'
import { useText } from '../texts/text.ts'
import { openDirect } from './open-direct.ts'

const SEARCH_AFTER_MS = 200
/** People of a conversation, without the user. */
const MAX_OTHERS = 19

interface Person extends Pictured {
  id: string
}

interface Props {
  isOpen: boolean
  close: () => void
  /** People of the conversation to which others are added. */
  people?: readonly Person[]
}

/** Dialog that begins a conversation, or one with more people than another. */
export default function NewDirect({ isOpen, close, people = [] }: Props) {
  const { t } = useText()
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={t(people.length > 0 ? 'room.addPeople' : 'sidebar.newDirect')}
      closeButtonProps={{ 'aria-label': t('shell.close') }}
    >
      <Form people={people} close={close} />
    </Modal>
  )
}

function Form({ people, close }: { people: readonly Person[]; close: () => void }) {
  const { t, list } = useText()
  const [, go] = useLocation()
  const [chosen, setChosen] = useState<readonly Person[]>([])
  const start = useMutation({
    mutationFn: () => openDirect([...people, ...chosen].map(({ id }) => id)),
    onSuccess: (address) => {
      close()
      go(address)
    },
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (chosen.length > 0) start.mutate()
      }}
    >
      <Stack gap="md">
        {people.length > 0 && (
          <Text size="sm">
            {t('direct.addHelp', { names: list(people.map(({ nickname }) => nickname)) })}
          </Text>
        )}
        <PeopleField chosen={chosen} setChosen={setChosen} others={people} />
        {start.error && (
          <Alert color="red" role="alert">
            {isUnreachable(start.error) ? t('direct.unreachable') : <Refusal error={start.error} />}
          </Alert>
        )}
        <Group justify="flex-end" gap="sm">
          <Button type="submit" disabled={chosen.length === 0} loading={start.isPending}>
            {t('direct.start')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** Whether one of the people cannot be addressed, for whatever reason. */
const isUnreachable = (error: Error) => error instanceof CallError && error.status === 404

interface PeopleFieldProps {
  chosen: readonly Person[]
  setChosen: (people: readonly Person[]) => void
  /** People who are in the conversation already. */
  others: readonly Person[]
}

/**
 * People whose names match the text, after those who are chosen. `first` is the first of the others,
 * as soon as the server has found them.
 */
function useFoundPeople(text: string, { chosen, others }: Pick<PeopleFieldProps, 'chosen' | 'others'>) {
  const user = useUser()
  const typed = text.trim()
  const [q] = useDebouncedValue(typed, SEARCH_AFTER_MS)
  const { data, isPlaceholderData } = useCall('people', 'listPeople', { query: { q, limit: 20 } })
  const excluded = new Set([user.id, ...[...others, ...chosen].map(({ id }) => id)])
  const matching = data?.people.filter(({ id }) => !excluded.has(id)) ?? []
  const isFound = q === typed && !isPlaceholderData
  const selectable: readonly Person[] = [...chosen, ...matching]
  return {
    byId: new Map(selectable.map((person) => [person.id, person])),
    first: isFound ? matching[0] : undefined,
  }
}

/** Field that finds people by a part of their names. */
function PeopleField({ chosen, setChosen, others }: PeopleFieldProps) {
  const { t } = useText()
  const [text, setText] = useState('')
  // Open while the user searches: afterwards, it would cover the button.
  const [isOpen, setOpen] = useState(false)
  const { byId, first } = useFoundPeople(text, { chosen, others })
  const ids = chosen.map(({ id }) => id)
  const maxValues = MAX_OTHERS - others.length
  const choose = (chosenIds: readonly string[]) => {
    setChosen(chosenIds.flatMap((id) => byId.get(id) ?? []))
    setText('')
    setOpen(false)
  }
  /** Enter chooses the first person who was found, unless the arrow keys have moved to another. */
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key !== 'Enter' || text.trim() === '' || isComposing(event)) return
    event.preventDefault()
    const hasMoved = event.currentTarget.getAttribute('aria-activedescendant') !== null
    if (!hasMoved && first && ids.length < maxValues) choose([...ids, first.id])
  }
  return (
    <MultiSelect
      label={t('direct.to')}
      placeholder={chosen.length === 0 ? t('direct.find') : ''}
      data={[...byId.values()].map(({ id, nickname }) => ({ value: id, label: nickname }))}
      value={ids}
      onChange={choose}
      onKeyDown={onKeyDown}
      dropdownOpened={isOpen}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
      searchable
      searchValue={text}
      onSearchChange={(value) => {
        setText(value)
        if (value !== '') setOpen(true)
      }}
      // The server has found them.
      filter={({ options }) => options}
      hidePickedOptions
      maxValues={maxValues}
      nothingFoundMessage={t('palette.none')}
      renderOption={({ option }) => {
        const person = byId.get(option.value)
        return (
          <Group gap="sm" wrap="nowrap">
            {person && <UserAvatar of={person} size={24} />}
            <bdi className="wrap">{option.label}</bdi>
          </Group>
        )
      }}
      data-autofocus
    />
  )
}
