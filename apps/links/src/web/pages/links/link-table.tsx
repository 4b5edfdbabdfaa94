import { Anchor, Box, Checkbox, Group, Modal, Paper, Stack, Table, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useState } from 'react'
import { Link } from 'wouter'
import type { Result } from '../../call.ts'
import { me } from '../../me.ts'
import { Copy } from '@latchkey/web/parts/copy'
import { Delta } from '../../parts/delta.tsx'
import { linkDeletionOf, usePending } from '../../parts/pending.ts'
import { primarySlug, shortUrl, withoutScheme } from '../../parts/short.ts'
import { useText } from '../../texts/text.ts'
import { StateBadge } from '../link/state-badge.tsx'
import { AddToBundle } from '../bundles/add-to-bundle.tsx'
import { Blocked } from './blocked.tsx'
import { Bulk } from './bulk.tsx'
import { useLinkWork } from './work.tsx'

export type LinkRow = Result<'listLinks'>[number]

/** News may take links off the list meanwhile. */
type Asked = { about: 'bundle'; ids: readonly number[] } | { about: 'blocked'; links: readonly LinkRow[] }

/** Stays while the list is empty: a dialog may be open. */
export function LinkTable({ links }: { links: readonly LinkRow[] }) {
  const { t } = useText()
  const [chosen, setChosen] = useState<readonly number[]>([])
  const [asked, setAsked] = useState<Asked | null>(null)
  const pending = usePending()
  const work = useLinkWork((blocked) => setAsked({ about: 'blocked', links: blocked }))
  const rows = links.filter(({ id }) => !pending.has(linkDeletionOf(id)))
  const selected = rows.filter(({ id }) => chosen.includes(id))
  const ids = selected.map(({ id }) => id)
  const close = () => setAsked(null)
  return (
    <>
      {links.length > 0 && (
        <Stack gap="sm">
          {selected.length > 0 && (
            <Bulk
              links={selected}
              work={work}
              onBundle={() => setAsked({ about: 'bundle', ids })}
              onDone={() => setChosen([])}
            />
          )}
          <Paper withBorder style={{ overflow: 'hidden' }}>
            <Rows rows={rows} selected={ids} select={setChosen} />
          </Paper>
        </Stack>
      )}
      <Modal
        opened={asked !== null}
        onClose={close}
        title={
          asked?.about === 'blocked'
            ? t('links.blocked', { count: asked.links.length })
            : t('bundles.addLink')
        }
        transitionProps={{ duration: 0 }}
        closeButtonProps={{ 'aria-label': t('shell.close') }}
        styles={{ title: { fontWeight: 650 } }}
      >
        {asked?.about === 'blocked' && <Blocked links={asked.links} work={work} close={close} />}
        {asked?.about === 'bundle' && (
          <AddToBundle
            ids={asked.ids}
            onDone={() => {
              close()
              setChosen([])
            }}
          />
        )}
      </Modal>
    </>
  )
}

interface RowsProps {
  rows: readonly LinkRow[]
  selected: readonly number[]
  select: (ids: readonly number[]) => void
}

/** Narrower than this, what has columns of its own elsewhere stands below a link's name. */
const ALL_COLUMNS = '(min-width: 75em)'

function Rows({ rows, selected, select }: RowsProps) {
  const { t } = useText()
  const isWide = useMediaQuery(ALL_COLUMNS, false, { getInitialValueInEffect: false })
  const all = rows.length > 0 && selected.length === rows.length
  const toggle = (id: number) =>
    select(selected.includes(id) ? selected.filter((other) => other !== id) : [...selected, id])
  return (
    <Table verticalSpacing="sm" horizontalSpacing={isWide ? 'md' : 'sm'} layout="fixed">
      <Table.Thead>
        <Table.Tr>
          <Table.Th w={isWide ? 52 : 44}>
            <Checkbox
              aria-label={t('links.selectAll')}
              checked={all}
              indeterminate={selected.length > 0 && !all}
              onChange={() => select(all ? [] : rows.map(({ id }) => id))}
            />
          </Table.Th>
          <Table.Th>{t('links.link')}</Table.Th>
          {isWide && <Table.Th w={160}>{t('links.status')}</Table.Th>}
          {isWide && <Table.Th w={250}>{t('links.short')}</Table.Th>}
          <Table.Th w={96} ta="right">
            {t('links.clicks')}
          </Table.Th>
          {isWide && (
            <Table.Th w={132} ta="right">
              {t('links.createdAt')}
            </Table.Th>
          )}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((link) => (
          <Table.Tr key={link.id} style={{ verticalAlign: isWide ? 'middle' : 'top' }}>
            <Table.Td>
              <Checkbox
                aria-label={t('links.select', { name: link.label ?? primarySlug(link) })}
                checked={selected.includes(link.id)}
                onChange={() => toggle(link.id)}
              />
            </Table.Td>
            {isWide ? <Columns link={link} /> : <Stacked link={link} />}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

function Columns({ link }: { link: LinkRow }) {
  return (
    <>
      <Table.Td>
        <Name link={link} />
      </Table.Td>
      <Table.Td>
        <StateBadge link={link} />
      </Table.Td>
      <Table.Td>
        <Short link={link} />
      </Table.Td>
      <Clicks link={link} />
      <Table.Td ta="right">
        <Made link={link} />
      </Table.Td>
    </>
  )
}

function Stacked({ link }: { link: LinkRow }) {
  return (
    <>
      <Table.Td>
        <Name link={link} lines={2} />
        <Short link={link} />
        <Group gap="xs" mt={4}>
          <StateBadge link={link} />
          <Box miw={0}>
            <Made link={link} />
          </Box>
        </Group>
      </Table.Td>
      <Clicks link={link} />
    </>
  )
}

/** A label is not cut before so many lines. */
function Name({ link, lines = 1 }: { link: LinkRow; lines?: number }) {
  return (
    <>
      <Anchor
        component={Link}
        href={`/links/${link.id}`}
        c="inherit"
        fw={550}
        ta="left"
        lineClamp={lines}
        style={{ overflowWrap: 'anywhere' }}
        dir="auto"
      >
        {link.label ?? withoutScheme(link.url)}
      </Anchor>
      {link.label !== null && (
        <Text size="sm" c="dimmed" truncate title={link.url}>
          {link.url}
        </Text>
      )}
    </>
  )
}

/** Where there is too little room, its host is shortened before its slug: that is what tells one from another. */
function Short({ link }: { link: LinkRow }) {
  const short = shortUrl(link)
  const shown = withoutScheme(short)
  const slug = `/${primarySlug(link)}`
  return (
    <Group gap={4} wrap="nowrap">
      <Anchor
        href={short}
        target="_blank"
        rel="noreferrer"
        size="sm"
        title={short}
        aria-label={shown}
        display="flex"
        miw={0}
      >
        <Text span inherit truncate miw={16} style={{ flexShrink: 1e6 }}>
          {shown.slice(0, -slug.length)}
        </Text>
        <Text span inherit truncate>
          {slug}
        </Text>
      </Anchor>
      <Copy value={short} />
    </Group>
  )
}

function Clicks({ link }: { link: LinkRow }) {
  const { number } = useText()
  return (
    <Table.Td ta="right">
      {number(link.total_clicks)}
      <div>
        <Delta value={link.delta_pct} />
      </div>
    </Table.Td>
  )
}

/** When, and by whom where that is somebody else. */
function Made({ link }: { link: LinkRow }) {
  const { day, moment } = useText()
  return (
    <>
      <Text size="sm" title={moment(link.created_at)}>
        {day(link.created_at)}
      </Text>
      {link.created_by !== me.identity && (
        <Text size="xs" c="dimmed" truncate title={link.created_by}>
          {link.created_by}
        </Text>
      )}
    </>
  )
}
