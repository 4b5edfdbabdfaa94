import { Button, Paper, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core'
import { IconDownload } from '@latchkey/web/icons'
import { Suspense, lazy, useEffect, useRef } from 'react'
import { addressOf } from '../../call.ts'
import { useText } from '../../texts/text.ts'
import { Draft } from './draft.tsx'
import { draftContent, useImportState } from './job.ts'

const loadJobView = () => import('./job-view.tsx')
const JobView = lazy(loadJobView)

export default function ImportExport() {
  return (
    <Stack gap="lg">
      <Import />
      <Export />
    </Stack>
  )
}

function Import() {
  const { t } = useText()
  const { draft, job } = useImportState()
  const title = useRef<HTMLHeadingElement>(null)
  const focusTitle = () => title.current?.focus()
  const hasContent = draftContent(draft) !== undefined
  // Ahead of the preview, which may be started without a connection. A failure is shown then.
  useEffect(() => {
    if (hasContent) loadJobView().catch(() => undefined)
  }, [hasContent])
  return (
    <Paper withBorder p="lg" component="section">
      <Title order={2} tabIndex={-1} ref={title} style={{ outline: 'none' }}>
        {t('transfer.import')}
      </Title>
      <Text c="dimmed" mt={4} mb="lg">
        {t('transfer.importHelp')}
      </Text>
      {!job && <Draft draft={draft} />}
      {job && (
        <Suspense fallback={<Skeleton height={240} />}>
          <JobView job={job} onBack={focusTitle} />
        </Suspense>
      )}
    </Paper>
  )
}

function Export() {
  const { t } = useText()
  return (
    <Paper withBorder p="lg" component="section">
      <Title order={2}>{t('transfer.export')}</Title>
      <Text c="dimmed" mt={4} mb="lg">
        {t('transfer.exportHelp')}
      </Text>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
        <Download format="ndjson" label={t('transfer.exportNdjson')} help={t('transfer.exportNdjsonHelp')} />
        <Download format="csv" label={t('transfer.exportCsv')} help={t('transfer.exportCsvHelp')} />
      </SimpleGrid>
    </Paper>
  )
}

function Download({ format, label, help }: { format: 'csv' | 'ndjson'; label: string; help: string }) {
  return (
    <Stack gap={6} align="start">
      <Button
        component="a"
        href={addressOf('exportLinks', { query: { format } })}
        download
        variant="default"
        leftSection={<IconDownload size={16} aria-hidden />}
      >
        {label}
      </Button>
      <Text size="sm" c="dimmed">
        {help}
      </Text>
    </Stack>
  )
}
