import { Anchor, Box, Checkbox, Group, Modal, Paper, Stack, Table, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useState } from 'react'
import { Link } from 'wouter'
import type { Result } from '../../call.ts'
import { me } from '../../me.ts'
import { Copy } from '@latchkey/web/parts/copy'
import { Delta } from '../../parts/delta.tsx'
import { linkDeletionOf, usePending } from '../../parts/pending.ts'
import { primarySlug, shortUrl, withoutScheme } from '../../parts/short-url.ts'
import { useText } from '../../texts/text.ts'
import { StateBadge } from '../link/state-badge.tsx'
import { AddToBundle } from '../bundles/add-to-bundle.tsx'
import { BlockedDeletions } from './blocked.tsx'
import { BulkActionBar } from './bulk-action-bar.tsx'
import { useBulkActions } from './use-bulk-actions.tsx'

export type LinkRow = Result<'listLinks'>[number]

/** Contains the links themselves: an update may remove them from the list. */
type DialogState =
  | { about: 'bundle'; ids: readonly number[] }
  | { about: 'blocked'; links: readonly LinkRow[] }

/** Mounted even if the list is empty, because a dialog may be open. */
export function LinkTable({ links }: { links: readonly LinkRow[] }) {
  const { t } = useText()
  const [selectedIds, setSelectedIds] = useState<readonly number[]>([])
  const [dialog, setDialog] = useState<DialogState | null>(null)
  const pending = usePending()
  const actions = useBulkActions((blocked) => setDialog({ about: 'blocked', links: blocked }))
  const rows = links.filter(({ id }) => !pending.has(linkDeletionOf(id)))
  const selected = rows.filter(({ id }) => selectedIds.includes(id))
  const ids = selected.map(({ id }) => id)
  const close = () => setDialog(null)
  return (
    <>
      {links.length > 0 && (
        <Stack gap="sm">
          {selected.length > 0 && (
            <BulkActionBar
              links={selected}
              actions={actions}
              onBundle={() => setDialog({ about: 'bundle', ids })}
              onDone={() => setSelectedIds([])}
            />
          )}
          <Paper withBorder style={{ overflow: 'hidden' }}>
            <Rows rows={rows} selected={ids} select={setSelectedIds} />
          </Paper>
        </Stack>
      )}
      <Modal
        opened={dialog !== null}
        onClose={close}
        title={
          dialog?.about === 'blocked'
            ? t('links.blocked', { count: dialog.links.length })
            : t('bundles.addLink')
        }
        transitionProps={{ duration: 0 }}
        closeButtonProps={{ 'aria-label': t('shell.close') }}
        styles={{ title: { fontWeight: 650 } }}
      >
        {dialog?.about === 'blocked' && (
          <BlockedDeletions links={dialog.links} actions={actions} close={close} />
        )}
        {dialog?.about === 'bundle' && (
          <AddToBundle
            ids={dialog.ids}
            onDone={() => {
              close()
              setSelectedIds([])
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

/** Below this width, the values of other columns are below the name of the link. */
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
            {isWide ? <ColumnCells link={link} /> : <StackedCells link={link} />}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

function ColumnCells({ link }: { link: LinkRow }) {
  return (
    <>
      <Table.Td>
        <Name link={link} />
      </Table.Td>
      <Table.Td>
        <StateBadge link={link} />
      </Table.Td>
      <Table.Td>
        <ShortUrl link={link} />
      </Table.Td>
      <Clicks link={link} />
      <Table.Td ta="right">
        <CreatedCell link={link} />
      </Table.Td>
    </>
  )
}

function StackedCells({ link }: { link: LinkRow }) {
  return (
    <>
      <Table.Td>
        <Name link={link} lines={2} />
        <ShortUrl link={link} />
        <Group gap="xs" mt={4}>
          <StateBadge link={link} />
          <Box miw={0}>
            <CreatedCell link={link} />
          </Box>
        </Group>
      </Table.Td>
      <Clicks link={link} />
    </>
  )
}

/** `lines` is the number of lines before the label is cut. */
function Name({ link, lines = 1 }: { link: LinkRow; lines?: number }) {
  return (
    <>
      <Anchor
        component={Link}
        href={`/links/${link.id}`}
        c="inherit"
        fw={500}
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

/** In a narrow column, the host is cut before the slug, which distinguishes the short URLs. */
function ShortUrl({ link }: { link: LinkRow }) {
  const url = shortUrl(link)
  const text = withoutScheme(url)
  const slug = `/${primarySlug(link)}`
  return (
    <Group gap={4} wrap="nowrap">
      <Anchor
        href={url}
        target="_blank"
        rel="noreferrer"
        size="sm"
        title={url}
        aria-label={text}
        display="flex"
        miw={0}
      >
        <Text span inherit truncate miw={16} style={{ flexShrink: 1e6 }}>
          {text.slice(0, -slug.length)}
        </Text>
        <Text span inherit truncate>
          {slug}
        </Text>
      </Anchor>
      <Copy value={url} />
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

/** Date of creation, and the owner unless it is the user. */
function CreatedCell({ link }: { link: LinkRow }) {
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
