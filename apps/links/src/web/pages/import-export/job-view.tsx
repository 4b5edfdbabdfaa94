import { Alert, Button, Group, List, Progress, ScrollArea, Stack, Text, Title } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { useText } from '../../texts/text.ts'
import { useEndNotice } from './end-notice.tsx'
import { type Job, closeJob, startJob, stopJob } from './job.ts'
import { downloadReport } from './report.ts'
import { Rows } from './rows.tsx'
import { resultTexts } from './result-texts.ts'

/** Heading of a step. Takes the focus, because the control that started the step is unmounted. */
function StepTitle({ children }: { children: string }) {
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => title.current?.focus(), [])
  return (
    <Title order={3} size="h2" tabIndex={-1} ref={title} style={{ outline: 'none' }}>
      {children}
    </Title>
  )
}

/** A preview or import. Loaded once there is something to import. */
export default function JobView({ job, onBack }: { job: Job; onBack: () => void }) {
  return job.state === 'working' ? (
    <ImportProgress job={job} onBack={onBack} />
  ) : (
    <ImportResult job={job} onBack={onBack} />
  )
}

function ImportProgress({ job: { isPreview, count, fraction }, onBack }: { job: Job; onBack: () => void }) {
  const { t } = useText()
  return (
    <Stack gap="md">
      <StepTitle>{t(isPreview ? 'transfer.checkingTitle' : 'transfer.runningTitle')}</StepTitle>
      <Text className="figure">
        {fraction === undefined
          ? t('transfer.sending')
          : t(isPreview ? 'transfer.checking' : 'transfer.running', { count })}
      </Text>
      <Progress
        aria-label={t('transfer.progress')}
        value={fraction === undefined ? 100 : fraction * 100}
        animated={fraction === undefined}
        transitionDuration={200}
      />
      {!isPreview && (
        <Text size="sm" c="dimmed">
          {t('transfer.runsOn')}
        </Text>
      )}
      <Group>
        <Button
          variant="default"
          onClick={() => {
            stopJob()
            if (isPreview) onBack()
          }}
        >
          {t('transfer.stop')}
        </Button>
      </Group>
    </Stack>
  )
}

/** Result of a preview or import, with all rows that were received. */
function ImportResult({ job, onBack }: { job: Job; onBack: () => void }) {
  const { t, failure } = useText()
  const clicks = job.report?.click_totals ?? 0
  const noteCount = job.rows.filter(({ result, reasons }) => result === 'imported' && reasons).length
  const leave = (keepDraft: boolean) => {
    closeJob(keepDraft)
    onBack()
  }
  const texts = resultTexts(job)
  return (
    <Stack gap="md">
      <StepTitle key={texts.title}>{t(texts.title)}</StepTitle>
      {job.error !== undefined && (
        <Alert color="red" role="alert">
          {failure(job.error)}
        </Alert>
      )}
      {texts.help && <Text>{t(texts.help, { count: texts.count })}</Text>}
      <Created job={job} />
      {noteCount > 0 && <Text>{t('transfer.notes', { count: noteCount })}</Text>}
      <CaseConflicts job={job} />
      {clicks > 0 && <Alert color="orange">{t('transfer.clicks', { count: clicks })}</Alert>}
      <Actions job={job} leave={leave} />
      {job.rows.length > 0 && <Rows rows={job.rows} isPreview={job.isPreview} />}
    </Stack>
  )
}

/** What an import creates beside links. */
function Created({ job: { report, isPreview } }: { job: Job }) {
  const { t } = useText()
  const { bundles = 0, legacy_paths: legacyPaths = 0 } = report ?? {}
  return (
    <>
      {bundles > 0 && (
        <Text>
          {t(isPreview ? 'transfer.bundlesToCreate' : 'transfer.bundlesCreated', { count: bundles })}
        </Text>
      )}
      {legacyPaths > 0 && (
        <Text>{t(isPreview ? 'transfer.legacyToKeep' : 'transfer.legacyKept', { count: legacyPaths })}</Text>
      )}
    </>
  )
}

/** Short URLs whose visitors would land at the destination of another one. */
function CaseConflicts({ job: { report, isPreview } }: { job: Job }) {
  const { t } = useText()
  const count = report?.case_conflicts ?? 0
  if (!report || count === 0) return null
  return (
    <Alert color="orange" title={t('transfer.caseTitle', { count })}>
      <Text size="sm">{t(isPreview ? 'transfer.caseHelp' : 'transfer.caseDone')}</Text>
      <ScrollArea.Autosize mah={240} mt="xs" tabIndex={0} aria-label={t('transfer.caseTitle', { count })}>
        <List size="sm">
          {report.first_case_conflicts.map(({ line, slug, other_slug, url }) => (
            <List.Item key={`${line} ${slug}`} style={{ overflowWrap: 'anywhere' }}>
              {t('transfer.caseItem', { line, slug, other_slug, url })}
            </List.Item>
          ))}
        </List>
      </ScrollArea.Autosize>
      {count > report.first_case_conflicts.length && <Text size="sm">{t('transfer.caseMore')}</Text>}
    </Alert>
  )
}

function Actions({ job, leave }: { job: Job; leave: (keepDraft: boolean) => void }) {
  const { t } = useText()
  const showEndNotice = useEndNotice()
  const count = job.report?.imported ?? 0
  if (job.isPreview)
    return (
      <Group gap="sm">
        {job.state === 'done' && count > 0 && (
          <Button onClick={() => void startJob(false).then(showEndNotice)}>
            {t('transfer.start', { count })}
          </Button>
        )}
        <Button variant="default" onClick={() => leave(true)}>
          {t('transfer.back')}
        </Button>
      </Group>
    )
  return (
    <Group gap="sm">
      {job.rows.length > 0 && (
        <Button variant="default" onClick={() => downloadReport(job.rows)}>
          {t('transfer.report')}
        </Button>
      )}
      <Button variant="default" component={Link} href="/links">
        {t('transfer.findLinks')}
      </Button>
      <Button variant="default" onClick={() => leave(job.state !== 'done')}>
        {t(job.state === 'done' ? 'transfer.again' : 'transfer.back')}
      </Button>
    </Group>
  )
}
