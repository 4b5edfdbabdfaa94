import { Anchor, Divider, Group, Paper, SimpleGrid, Stack, Text, UnstyledButton } from '@mantine/core'
import type { MouseEvent, ReactNode } from 'react'
import { addressOf } from '../../call.ts'
import { Copy } from '@latchkey/web/parts/copy'
import { Initials } from '../../parts/initials.tsx'
import { QrImage } from '../../parts/qr-image.tsx'
import { primarySlug, shortUrl, withoutScheme } from '../../parts/short-url.ts'
import { rememberUtm } from '../../link-dialogs/utm.ts'
import { UtmFields } from '../../link-dialogs/utm-fields.tsx'
import type { OwnKey } from '../../texts/index.ts'
import { useText } from '../../texts/text.ts'
import { Bundles } from './bundles.tsx'
import { EditInPlace } from './edit-in-place.tsx'
import type { LinkControls } from './link-header.tsx'
import { type Link, isMine } from './link.ts'
import { updateLink } from './update-link.ts'

const SOURCES: Readonly<Record<string, OwnKey>> = {
  app: 'link.via.app',
  api: 'link.via.api',
  sdk: 'link.via.sdk',
  mcp: 'link.via.mcp',
  import: 'link.via.import',
}

/** Short URL with its QR code, destination and properties of the link. */
export function Facts({ link, opener, openDialog }: Pick<LinkControls, 'link' | 'opener' | 'openDialog'>) {
  const { t, day, moment } = useText()
  const openQrCode = ({ currentTarget }: MouseEvent<HTMLElement>) => {
    opener.current = currentTarget
    openDialog({ about: 'qr', slug: primarySlug(link) })
  }
  return (
    <Paper withBorder p="md">
      <Stack gap="md">
        <div className="link-top">
          <Stack gap={6} miw={0}>
            <ShortUrl link={link} />
            <DestinationField link={link} />
          </Stack>
          <QrThumbnail link={link} onOpen={openQrCode} />
        </div>
        <Divider />
        <SimpleGrid component="dl" m={0} cols={{ base: 1, xs: 3 }} spacing="lg" verticalSpacing="md">
          <Fact name={t('link.created')}>
            <Text size="sm" title={moment(link.created_at)}>
              {day(link.created_at)}
            </Text>
          </Fact>
          <Fact name={t('link.owner')}>
            <span className="person">
              <Initials name={link.created_by} />
              <bdi>{link.created_by}</bdi>
            </span>
          </Fact>
          <Fact name={t('link.source')}>
            <Text size="sm">{t(SOURCES[link.created_via ?? ''] ?? 'link.via.unknown')}</Text>
          </Fact>
          <Fact name={t('link.bundles')} wide>
            <Bundles id={link.id} />
          </Fact>
        </SimpleGrid>
      </Stack>
    </Paper>
  )
}

const THUMBNAIL_SIZE = 200

/** The QR code of the short URL. Opens the dialog with its options. */
function QrThumbnail({ link, onOpen }: { link: Link; onOpen: (event: MouseEvent<HTMLElement>) => void }) {
  const { t } = useText()
  const query = { slug: primarySlug(link), size: THUMBNAIL_SIZE, format: 'svg' } as const
  return (
    <UnstyledButton
      className="qr-thumbnail"
      aria-label={t('link.qr')}
      data-tooltip={t('link.qr')}
      onClick={onOpen}
    >
      <QrImage src={addressOf('getLinkQr', { params: { id: link.id }, query })} alt="" />
    </UnstyledButton>
  )
}

function ShortUrl({ link }: { link: Link }) {
  const url = shortUrl(link)
  return (
    <Group gap={8} wrap="nowrap" align="center">
      <Anchor
        href={url}
        target="_blank"
        rel="noreferrer"
        fz="lg"
        fw={600}
        miw={0}
        style={{ overflowWrap: 'anywhere' }}
      >
        {withoutScheme(url)}
      </Anchor>
      <Copy value={url} />
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
      save={async (url) => {
        await updateLink(link.id, { url })
        rememberUtm(url)
      }}
      extra={(url, change) => <UtmFields url={url} onChange={change} />}
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
