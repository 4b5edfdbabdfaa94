import {
  ActionIcon,
  Badge,
  Box,
  Group,
  Menu,
  Paper,
  Stack,
  Table,
  Text,
  Title,
  VisuallyHidden,
} from '@mantine/core'
import { showSuccess, showError } from '@latchkey/web/toast'
import {
  IconCopy,
  IconDots,
  IconPlayerPause,
  IconPlayerPlay,
  IconQrcode,
  IconStar,
  IconTrash,
} from '@latchkey/web/icons'
import { useState } from 'react'
import { useFocusWhenGone } from '@latchkey/web/focus-when-gone'
import { CsvButton } from '../../analytics/csv-button.tsx'
import { type Subject, queryOf, useShownStats } from '../../analytics/use-analytics.ts'
import { useAnalyticsView } from '../../analytics/use-view.ts'
import type { AnalyticsView } from '../../analytics/view.ts'
import { Pager } from '../../parts/pager.tsx'
import { slugName, slugUrl } from '../../parts/short-url.ts'
import { slugKey } from '../../../urls/slug.ts'
import { useText } from '../../texts/text.ts'
import { LegacyPaths } from './legacy-paths.tsx'
import type { LinkControls } from './link-header.tsx'
import { type Slug, isMine, subjectOf } from './link.ts'

/** A link may have thousands of slugs. */
const PAGE_SIZE = 10

/** The primary slug, then the others by clicks in the selected statistics. */
export function Slugs(controls: LinkControls) {
  const { t } = useText()
  const { view } = useAnalyticsView()
  const subject = subjectOf(controls.link)
  const counts = useSlugCounts(view, subject)
  const [offset, setOffset] = useState(0)
  const countOf = ({ slug, domain }: Slug) =>
    counts?.counts.get(slugKey(domain ?? null, slug)) ?? (counts?.isComplete ? 0 : undefined)
  const clicks = (slug: Slug) => countOf(slug) ?? 0
  const slugs = controls.link.slugs
    .filter((slug) => !controls.removal.isPending(slug))
    .toSorted((a, b) => b.is_primary - a.is_primary || clicks(b) - clicks(a))
  const heading = useFocusWhenGone<HTMLHeadingElement>(slugs.length)
  const first = Math.min(offset, Math.floor((slugs.length - 1) / PAGE_SIZE) * PAGE_SIZE)
  const maxClicks = Math.max(1, ...slugs.map(clicks))
  return (
    <Paper withBorder p="md" className="slugs">
      <Group justify="space-between" gap="sm" mb="xs">
        <Title order={2} ref={heading} tabIndex={-1} style={{ outline: 'none' }}>
          {t('link.slugs')}
        </Title>
        <CsvButton query={{ ...queryOf(view, subject), dimension: 'slug' }} valuesName={t('link.slugs')} />
      </Group>
      <Table layout="fixed" className="slug-table">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('link.slug')}</Table.Th>
            <Table.Th w="28%">{t('link.clicks')}</Table.Th>
            <Table.Th w={110} ta="right" className="slug-added">
              {t('link.added')}
            </Table.Th>
            <Table.Th w={42}>
              <VisuallyHidden>{t('link.actionsColumn')}</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {slugs.slice(first, first + PAGE_SIZE).map((slug) => (
            <Row key={slug.slug} slug={slug} clicks={countOf(slug)} maxClicks={maxClicks} {...controls} />
          ))}
        </Table.Tbody>
      </Table>
      <Pager
        label={t('link.slugs')}
        offset={first}
        size={PAGE_SIZE}
        total={slugs.length}
        onMove={setOffset}
      />
      <LegacyPaths link={controls.link} />
    </Paper>
  )
}

/** Clicks of the slugs by name. Those of the least clicked slugs may be missing. */
function useSlugCounts(view: AnalyticsView, subject: Subject) {
  const slugs = useShownStats(view, subject)?.breakdowns.slug
  if (!slugs) return undefined
  const counts = new Map(slugs.items.map(({ name, count }) => [name, count]))
  return { counts, isComplete: slugs.items.length === slugs.total }
}

function Row({
  slug,
  clicks,
  maxClicks,
  ...controls
}: LinkControls & { slug: Slug; clicks: number | undefined; maxClicks: number }) {
  const { t, number, day, moment } = useText()
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap={6}>
          <Text fw={500} miw={0} className="mono" style={{ overflowWrap: 'anywhere' }}>
            {slugName(slug)}
          </Text>
          {slug.is_primary === 1 && <SlugBadge text={t('link.primary')} />}
          {slug.is_custom === 0 && <SlugBadge text={t('link.automatic')} />}
          {slug.disabled_at !== null && <SlugBadge text={t('link.slugIsDisabled')} />}
        </Group>
      </Table.Td>
      <Table.Td>
        <Stack gap={4}>
          <Text size="sm" className="figure">
            {clicks === undefined ? '–' : number(clicks)}
          </Text>
          <Box className="ranking-bar" m={0} aria-hidden>
            <Box style={{ width: `${(100 * (clicks ?? 0)) / maxClicks}%` }} />
          </Box>
        </Stack>
      </Table.Td>
      <Table.Td ta="right" className="slug-added">
        <Text size="sm" title={moment(slug.created_at)}>
          {day(slug.created_at)}
        </Text>
      </Table.Td>
      <Table.Td>
        <SlugMenu slug={slug} {...controls} />
      </Table.Td>
    </Table.Tr>
  )
}

function SlugBadge({ text }: { text: string }) {
  return (
    <Badge variant="default" size="sm" tt="none" fw={500}>
      {text}
    </Badge>
  )
}

function SlugMenu({ slug, opener, ...controls }: LinkControls & { slug: Slug }) {
  const { t } = useText()
  const copyUrl = async () => {
    try {
      await navigator.clipboard.writeText(slugUrl(slug))
      showSuccess(t('link.copied'))
    } catch {
      // The browser has denied access. Without HTTPS, there is no clipboard.
      showError(t('copy.notCopied'))
    }
  }
  return (
    <Menu position="bottom-end" transitionProps={{ duration: 0 }}>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('link.slugMenu', { slug: slug.slug })}
          onFocus={({ currentTarget }) => {
            opener.current = currentTarget
          }}
        >
          <IconDots size={17} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconCopy size={16} />} onClick={() => void copyUrl()}>
          {t('link.copy')}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconQrcode size={16} />}
          onClick={() => controls.openDialog({ about: 'qr', slug: slug.slug })}
        >
          {t('link.qr')}
        </Menu.Item>
        {isMine(controls.link) && <OwnerItems slug={slug} {...controls} />}
      </Menu.Dropdown>
    </Menu>
  )
}

function OwnerItems({ slug, actions: work, removal }: Omit<LinkControls, 'opener'> & { slug: Slug }) {
  const { t } = useText()
  const isEnabled = slug.disabled_at === null
  return (
    <>
      {isEnabled && slug.is_primary === 0 && (
        <Menu.Item leftSection={<IconStar size={16} />} onClick={() => work.makePrimary(slug)}>
          {t('link.makePrimary')}
        </Menu.Item>
      )}
      {slug.is_custom === 1 && (
        <>
          <Menu.Divider />
          {isEnabled ? (
            <Menu.Item leftSection={<IconPlayerPause size={16} />} onClick={() => work.disableSlug(slug)}>
              {t('link.disable')}
            </Menu.Item>
          ) : (
            <Menu.Item leftSection={<IconPlayerPlay size={16} />} onClick={() => work.enableSlug(slug)}>
              {t('link.enable')}
            </Menu.Item>
          )}
          <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => removal.begin(slug)}>
            {t('link.remove')}
          </Menu.Item>
        </>
      )}
    </>
  )
}
