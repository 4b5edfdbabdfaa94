import { Button, Group, Paper, Skeleton, Stack, Tabs, Title } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { ExplorerDimension } from '../../analytics/explorer/dimensions.ts'
import type { OwnKey } from '../texts/index.ts'
import { useText } from '../texts/text.ts'
import { CsvButton } from './csv-button.tsx'
import { Details } from './details.tsx'
import { Rows } from './rows.tsx'
import { type Subject, queryOf } from './use-analytics.ts'
import type { PanelProps } from './types.ts'

interface Panel {
  title: OwnKey
  dimensions: readonly ExplorerDimension[]
}

const SOURCES = ['channel', 'referrer_host', 'utm_source', 'utm_medium', 'utm_campaign'] as const

const sources: Panel = { title: 'analytics.sources', dimensions: SOURCES }
const locations: Panel = { title: 'analytics.locations', dimensions: ['country'] }
const devices: Panel = { title: 'analytics.devices', dimensions: ['device', 'browser', 'os', 'link_mode'] }
const links: Panel = { title: 'analytics.links', dimensions: ['link', 'bundle'] }
/** The numbers of rules mean something for one link only. */
const variants: Panel = { title: 'dimension.variant', dimensions: ['variant'] }
const slugs: Panel = { title: 'link.slugs', dimensions: ['slug'] }

/**
 * Panels in two columns, so that one with few values leaves no gap below it. The page of a link has a
 * table of its slugs, and that of a bundle a list of its links.
 */
const COLUMNS: Record<'instance' | Subject['dimension'], readonly (readonly Panel[])[]> = {
  instance: [
    [sources, devices],
    [locations, links],
  ],
  bundle: [
    [sources, devices],
    [locations, slugs],
  ],
  link: [
    [sources, devices],
    [locations, variants],
  ],
}

interface PanelsProps extends PanelProps {
  /** A further panel of the page. */
  children?: ReactNode
}

/** Breakdowns of the statistics: several dimensions in each panel, as tabs. */
export function Panels({ children, ...props }: PanelsProps) {
  const columns = COLUMNS[props.subject?.dimension ?? 'instance']
  const shortest = Math.min(...columns.map(({ length }) => length))
  const further = columns.findIndex(({ length }) => length === shortest)
  return (
    <div className="panels">
      {columns.map((panels, column) => (
        <Stack key={column} gap="md" miw={0}>
          {/* The height of the first panels is not known before the statistics are. */}
          {panels
            .slice(0, props.stats ? undefined : 1)
            .filter((panel) => panel !== variants || hasVariants(props))
            .map((panel) => (
              <Breakdowns key={panel.title} {...panel} {...props} />
            ))}
          {column === further && children}
        </Stack>
      ))}
    </div>
  )
}

/** Most links lead to their URL only. */
function hasVariants({ stats, view }: PanelProps): boolean {
  return (
    (stats?.breakdowns.variant.total ?? 0) > 0 ||
    view.filters.some(({ dimension }) => dimension === 'variant')
  )
}

/** Among the clicks of one site, its pages say more than the site. */
function dimensionOf(tab: ExplorerDimension, { view }: PanelProps): ExplorerDimension {
  const isSite = tab === 'referrer_host' && view.filters.some(({ dimension }) => dimension === tab)
  return isSite ? 'referrer' : tab
}

function Breakdowns({ title, dimensions, ...props }: Panel & PanelProps) {
  const { t } = useText()
  const [tab, setTab] = useState<ExplorerDimension>(dimensions[0] as ExplorerDimension)
  const dimension = dimensionOf(tab, props)
  return (
    <Paper withBorder p="md" component="section" className="panel" aria-label={t(title)}>
      <Tabs
        value={tab}
        onChange={(next) => setTab(next as ExplorerDimension)}
        keepMounted={false}
        variant="none"
        className="panel-tabs"
      >
        <Group justify="space-between" gap="sm" mb="sm">
          <Title order={2}>{t(title)}</Title>
          {dimensions.length > 1 && (
            <Tabs.List aria-label={t(title)}>
              {dimensions.map((each) => (
                <Tabs.Tab key={each} value={each}>
                  {t(`dimension.${each}`)}
                </Tabs.Tab>
              ))}
            </Tabs.List>
          )}
        </Group>
        {dimensions.length > 1 ? (
          <Tabs.Panel value={tab} className="panel-content">
            <Content dimension={dimension} {...props} />
          </Tabs.Panel>
        ) : (
          <div className="panel-content">
            <Content dimension={dimension} {...props} />
          </div>
        )}
      </Tabs>
    </Paper>
  )
}

/** Height of a panel before the statistics arrive. */
const LOADING_HEIGHT = 320
const ROWS = 9

function Content({ dimension, ...props }: PanelProps & { dimension: ExplorerDimension }) {
  const { t, number } = useText()
  const [isOpen, setIsOpen] = useState(false)
  if (!props.stats) return <Skeleton height={LOADING_HEIGHT} />
  const breakdown = props.stats.breakdowns[dimension]
  if (!breakdown) return null
  const { items, total, unknown } = breakdown
  return (
    <>
      <Rows
        dimension={dimension}
        breakdown={{ items: items.slice(0, ROWS), unknown }}
        clicks={props.stats.totals.clicks}
        view={props.view}
        toggle={props.toggle}
      />
      {total > 0 && (
        <Group justify="space-between" gap="sm" mt="xs">
          <Button
            variant="subtle"
            color="gray"
            size="compact-sm"
            aria-label={t('analytics.detailsOf', { what: t(`dimension.${dimension}`) })}
            onClick={() => setIsOpen(true)}
          >
            {t('analytics.details')} {total > ROWS && `(${number(total)})`}
          </Button>
          <CsvButton
            query={{ ...queryOf(props.view, props.subject), dimension }}
            valuesName={t(`dimension.${dimension}`)}
          />
        </Group>
      )}
      <Details {...props} dimension={dimension} isOpen={isOpen} onClose={() => setIsOpen(false)} />
    </>
  )
}
