import { Anchor, Badge, Checkbox, Group, Paper, Stack, Table, Text } from '@mantine/core'
import { useState } from 'react'
import type { Result } from '../../call.ts'
import { Copy } from '../../parts/copy.tsx'
import { useText } from '../../texts/text.ts'
import { Bulk } from './bulk.tsx'

export type LinkRow = Result<'listLinks'>[number]

export function LinkTable({ links }: { links: readonly LinkRow[] }) {
  const { say } = useText()
  const [chosen, setChosen] = useState<readonly number[]>([])
  const [hidden, setHidden] = useState<readonly number[]>([])
  const rows = links.filter(({ id }) => !hidden.includes(id))
  const selected = rows.filter(({ id }) => chosen.includes(id)).map(({ id }) => id)
  const toggle = (id: number) =>
    setChosen(selected.includes(id) ? selected.filter((other) => other !== id) : [...selected, id])
  return (
    <Stack gap="sm">
      {selected.length > 0 && <Bulk ids={selected} setHidden={setHidden} onDone={() => setChosen([])} />}
      <Paper withBorder>
        <Table.ScrollContainer minWidth={720}>
          <Table verticalSpacing="sm" highlightOnHover>
            <Table.Thead>
              <Table.Tr>
                <Table.Th w={40}>
                  <Checkbox
                    aria-label={say('links.selectAll')}
                    checked={selected.length === rows.length}
                    indeterminate={selected.length > 0 && selected.length < rows.length}
                    onChange={() =>
                      setChosen(selected.length === rows.length ? [] : rows.map(({ id }) => id))
                    }
                  />
                </Table.Th>
                <Table.Th>{say('links.link')}</Table.Th>
                <Table.Th>{say('links.status')}</Table.Th>
                <Table.Th>{say('links.short')}</Table.Th>
                <Table.Th ta="right">{say('links.clicks')}</Table.Th>
                <Table.Th ta="right">{say('links.createdAt')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map((link) => (
                <Row key={link.id} link={link} chosen={selected.includes(link.id)} toggle={toggle} />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </Paper>
    </Stack>
  )
}

function Row({ link, chosen, toggle }: { link: LinkRow; chosen: boolean; toggle: (id: number) => void }) {
  const { say, number, percent, day, moment } = useText()
  const slug = (link.slugs.find(({ is_primary }) => is_primary) ?? link.slugs[0])?.slug ?? ''
  const short = `${location.origin}/${slug}`
  return (
    <Table.Tr>
      <Table.Td>
        <Checkbox
          aria-label={say('links.select', { name: link.label ?? slug })}
          checked={chosen}
          onChange={() => toggle(link.id)}
        />
      </Table.Td>
      <Table.Td maw={360}>
        {link.label !== null && (
          <Text fw={550} truncate>
            {link.label}
          </Text>
        )}
        <Text size="sm" c="dimmed" truncate title={link.url}>
          {link.url}
        </Text>
      </Table.Td>
      <Table.Td>
        <State link={link} />
      </Table.Td>
      <Table.Td>
        <Group gap={4} wrap="nowrap">
          <Anchor href={short} target="_blank" rel="noreferrer" maw={220} truncate size="sm">
            {short.replace(/^https?:\/\//, '')}
          </Anchor>
          <Copy value={short} />
        </Group>
      </Table.Td>
      <Table.Td ta="right">
        {number(link.total_clicks)}
        {link.delta_pct !== undefined && (
          <Text size="xs" c="dimmed" title={say('links.change')}>
            {percent(link.delta_pct)}
          </Text>
        )}
      </Table.Td>
      <Table.Td ta="right">
        <Text size="sm" title={moment(link.created_at)}>
          {day(link.created_at)}
        </Text>
      </Table.Td>
    </Table.Tr>
  )
}

function State({ link }: { link: LinkRow }) {
  const { say } = useText()
  const expired = link.expires_at !== null && link.expires_at * 1000 <= Date.now()
  const state = link.disabled_at !== null ? 'disabled' : expired ? 'expired' : 'active'
  return (
    <Badge variant="default" tt="none" fw={500}>
      {say(`links.${state}`)}
    </Badge>
  )
}
