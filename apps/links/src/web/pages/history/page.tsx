import { Button, Group, NativeSelect, Paper, Pill, Skeleton, Stack, Text } from '@mantine/core'
import { useQueryString } from '@latchkey/web/query-string'
import { Notice } from '@latchkey/web/parts/notice'
import { useDisclosure } from '@mantine/hooks'
import { OnUse } from '@latchkey/web/shell/on-use'
import { lazy, useState } from 'react'
import { changeChannels } from '../../../changes/source.ts'
import { Changes, OlderButton } from '../../parts/history/changes.tsx'
import { ReadError } from '../../parts/read-error.tsx'
import { useCall } from '../../queries.ts'
import { useText } from '../../texts/text.ts'

const UndoSince = lazy(() => import('./undo-since.tsx'))

const PAGE_SIZE = 25
const NO_FILTER = { identity: '', assistant: '', via: '' }

type Filter = typeof NO_FILTER

/** The changes of the user, and for administrators those of everyone, with filters (L29.5). */
export default function HistoryPage() {
  const { t } = useText()
  const [filter, setFilter] = useQueryString(NO_FILTER)
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        {t('history.intro')}
      </Text>
      <Group gap="sm">
        <NativeSelect
          aria-label={t('history.channel')}
          value={filter.via}
          onChange={({ currentTarget }) => setFilter({ via: currentTarget.value })}
          data={[
            { value: '', label: t('history.allWays') },
            ...changeChannels.map((channel) => ({ value: channel, label: t(`history.via.${channel}`) })),
          ]}
        />
        {(['identity', 'assistant'] as const).map(
          (name) =>
            filter[name] !== '' && (
              <Pill
                key={name}
                withRemoveButton
                onRemove={() => setFilter({ [name]: '' })}
                removeButtonProps={{
                  'aria-label': t('history.remove', { name: filter[name] }),
                  'aria-hidden': false,
                  tabIndex: 0,
                }}
              >
                <bdi>{filter[name]}</bdi>
              </Pill>
            ),
        )}
        {filter.assistant !== '' && <Undo filter={filter} />}
      </Group>
      <Paper withBorder px={{ base: 'md', sm: 'lg' }}>
        <Pages key={JSON.stringify(filter)} filter={filter} setFilter={setFilter} />
      </Paper>
    </Stack>
  )
}

/** Opens the dialog that undoes the changes of the program on display. */
function Undo({ filter: { identity, assistant, via } }: { filter: Filter }) {
  const { t } = useText()
  const [isOpen, { open, close }] = useDisclosure()
  const channel = changeChannels.find((name) => name === via)
  const body = { assistant, ...(identity !== '' && { identity }), ...(channel && { via: channel }) }
  return (
    <>
      <Button variant="default" onClick={open}>
        {t('history.undoSince')}
      </Button>
      <OnUse isUsed={isOpen}>
        <UndoSince filter={body} opened={isOpen} onClose={close} />
      </OnUse>
    </>
  )
}

interface ListProps {
  filter: Filter
  setFilter: (filter: Partial<Filter>) => void
}

function Pages(props: ListProps) {
  const [cursors, setCursors] = useState<readonly (string | undefined)[]>([undefined])
  return cursors.map((cursor, index) => (
    <Page
      key={cursor ?? ''}
      {...props}
      cursor={cursor}
      onOlder={index === cursors.length - 1 ? (next) => setCursors([...cursors, next]) : undefined}
    />
  ))
}

interface PageProps extends ListProps {
  cursor: string | undefined
  onOlder: ((cursor: string) => void) | undefined
}

function Page({ filter: { identity, assistant, via }, setFilter, cursor, onOlder }: PageProps) {
  const { t } = useText()
  const channel = changeChannels.find((name) => name === via)
  const { data, error, refetch } = useCall('history', 'listChanges', {
    query: {
      limit: PAGE_SIZE,
      ...(identity !== '' && { identity }),
      ...(assistant !== '' && { assistant }),
      ...(channel && { via: channel }),
      ...(cursor !== undefined && { cursor }),
    },
  })
  if (error && !data) return <ReadError error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton height={320} my="md" />
  if (data.body.length === 0) return <Notice title={t('history.empty')} help={t('history.emptyHelp')} />
  const { next } = data
  return (
    <>
      <Changes changes={data.body} hasSubjects onFilter={setFilter} />
      {next !== undefined && onOlder && <OlderButton onClick={() => onOlder(next)} />}
    </>
  )
}
