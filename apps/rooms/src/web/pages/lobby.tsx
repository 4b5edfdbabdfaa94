import { Anchor, Group, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { Notice } from '@latchkey/web/parts/notice'
import { useQueryString } from '@latchkey/web/query-string'
import { Failed } from '@latchkey/web/shell/boundary'
import { Link } from 'wouter'
import { useCall } from '../queries.ts'
import { useText } from '../texts/text.ts'

const SEARCH_AFTER_MS = 250

export default function LobbyPage() {
  const { say } = useText()
  const [{ q }, setQuery] = useQueryString({ q: '' })
  const [searched] = useDebouncedValue(q.trim(), SEARCH_AFTER_MS)
  const { data, error, refetch } = useCall('rooms', 'listRooms', { query: { q: searched } })
  return (
    <Stack gap="lg">
      <TextInput
        type="search"
        label={say('lobby.search')}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={q}
        onChange={({ currentTarget }) => setQuery({ q: currentTarget.value })}
        maw={420}
      />
      {error && !data && <Failed error={error} onRetry={() => void refetch()} />}
      {data?.rooms.length === 0 && <Notice title={say(searched === '' ? 'lobby.none' : 'lobby.noneFound')} />}
      <ul className="plain cards">
        {data?.rooms.map(({ id, name, participantCount, maxParticipants }) => (
          <Paper key={id} component="li" withBorder p="md">
            <Title order={2} size="h4" className="wrap">
              <Anchor component={Link} href={`/rooms/${id}`} inherit>
                {name}
              </Anchor>
            </Title>
            <Group gap="xs">
              <Text size="sm" c="dimmed">
                {say('lobby.present', { count: participantCount, most: maxParticipants })}
              </Text>
            </Group>
          </Paper>
        ))}
      </ul>
    </Stack>
  )
}
