import { Anchor, Divider, Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link as To } from 'wouter'
import { type Input, call } from '../../call.ts'
import { Copy } from '@latchkey/web/parts/copy'
import { fromField, toField } from '../../parts/moment-field.ts'
import { ReadError } from '../../parts/read-error.tsx'
import { primarySlug, slugUrl, withoutScheme } from '../../parts/short-url.ts'
import { dayAndTime } from '../../parts/time-zone.ts'
import { invalidate, useCall } from '../../queries.ts'
import type { OwnKey } from '../../texts/index.ts'
import { useText } from '../../texts/text.ts'
import { EditInPlace } from './edit-in-place.tsx'
import { type Link, isMine } from './link.ts'

const SOURCES: Readonly<Record<string, OwnKey>> = {
  app: 'link.via.app',
  api: 'link.via.api',
  sdk: 'link.via.sdk',
  mcp: 'link.via.mcp',
  import: 'link.via.import',
}

async function update(id: number, body: Input<'updateLink'>['body']): Promise<void> {
  await call('updateLink', { params: { id }, body })
  await invalidate('links')
}

/** Short URL, destination and properties of the link. */
export function Facts({ link }: { link: Link }) {
  const { t, day, moment } = useText()
  return (
    <Paper withBorder p={{ base: 'md', sm: 'lg' }}>
      <Stack gap="md">
        <Stack gap={6}>
          <ShortUrl slug={primarySlug(link)} />
          <DestinationField link={link} />
        </Stack>
        <Divider />
        <SimpleGrid component="dl" m={0} cols={{ base: 1, xs: 2, md: 4 }} spacing="lg" verticalSpacing="sm">
          <Fact name={t('link.expires')}>
            <Expiry link={link} />
          </Fact>
          <Fact name={t('link.created')}>
            <Text size="sm" title={moment(link.created_at)}>
              {day(link.created_at)}
            </Text>
          </Fact>
          <Fact name={t('link.owner')}>
            <Text size="sm" dir="auto" style={{ overflowWrap: 'anywhere' }}>
              {link.created_by}
            </Text>
          </Fact>
          <Fact name={t('link.source')}>
            <Text size="sm">{t(SOURCES[link.created_via ?? ''] ?? 'link.via.unknown')}</Text>
          </Fact>
          <Bundles id={link.id} />
        </SimpleGrid>
      </Stack>
    </Paper>
  )
}

function ShortUrl({ slug }: { slug: string }) {
  return (
    <Group gap={6} wrap="nowrap" align="flex-start">
      <Anchor
        href={slugUrl(slug)}
        target="_blank"
        rel="noreferrer"
        fz="lg"
        fw={600}
        miw={0}
        style={{ overflowWrap: 'anywhere' }}
      >
        {withoutScheme(slugUrl(slug))}
      </Anchor>
      <Copy value={slugUrl(slug)} />
    </Group>
  )
}

function DestinationField({ link }: { link: Link }) {
  const { t } = useText()
  return (
    <EditInPlace
      mayEdit={isMine(link)}
      label={t('link.destination')}
      edit={t('link.editUrl')}
      value={link.url}
      save={(url) => update(link.id, { url })}
    >
      <Text size="sm" c="dimmed" lineClamp={3} title={link.url} style={{ overflowWrap: 'anywhere' }}>
        {t('link.destination')}{' '}
        <Anchor href={link.url} target="_blank" rel="noreferrer" size="sm" c="inherit" underline="always">
          <bdi>{link.url}</bdi>
        </Anchor>
      </Text>
    </EditInPlace>
  )
}

function Expiry({ link }: { link: Link }) {
  const { id, expires_at } = link
  const { t, language } = useText()
  return (
    <EditInPlace
      mayEdit={isMine(link)}
      label={t('link.expires')}
      edit={t('link.editExpiry')}
      type="datetime-local"
      value={expires_at === null ? '' : toField(expires_at)}
      save={(value) => update(id, { expires_at: fromField(value) })}
      hint={(value) => {
        const seconds = fromField(value)
        return seconds !== null && seconds * 1000 <= Date.now() ? t('link.expiryPast') : undefined
      }}
      clear={t('link.noExpiry')}
    >
      <Text size="sm">{expires_at === null ? t('link.never') : dayAndTime(expires_at, language)}</Text>
    </EditInPlace>
  )
}

function Bundles({ id }: { id: number }) {
  const { t } = useText()
  const { data, error, refetch } = useCall('bundles', 'listBundlesForLink', { params: { id } })
  if (error && !data)
    return (
      <Fact name={t('link.bundles')} wide>
        <ReadError error={error} onRetry={() => void refetch()} />
      </Fact>
    )
  const bundles = data?.body ?? []
  if (bundles.length === 0) return null
  return (
    <Fact name={t('link.bundles')} wide>
      <Group gap="xs" miw={0}>
        {bundles.map((bundle) => (
          <Anchor
            key={bundle.id}
            component={To}
            href={`/bundles/${bundle.id}`}
            size="sm"
            dir="auto"
            style={{ overflowWrap: 'anywhere' }}
          >
            {bundle.name}
          </Anchor>
        ))}
      </Group>
    </Fact>
  )
}

function Fact({ name, wide = false, children }: { name: string; wide?: boolean; children: ReactNode }) {
  return (
    <div style={{ minWidth: 0, ...(wide && { gridColumn: '1 / -1' }) }}>
      <Text component="dt" size="xs" c="dimmed" mb={2}>
        {name}
      </Text>
      <dd style={{ margin: 0 }}>{children}</dd>
    </div>
  )
}
