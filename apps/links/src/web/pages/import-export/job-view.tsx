import { Alert, Button, Group, Progress, Stack, Text, Title } from '@mantine/core'
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
  const bundles = job.report?.bundles ?? 0
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
      {bundles > 0 && (
        <Text>
          {t(job.isPreview ? 'transfer.bundlesToCreate' : 'transfer.bundlesCreated', { count: bundles })}
        </Text>
      )}
      {clicks > 0 && <Alert color="orange">{t('transfer.clicks', { count: clicks })}</Alert>}
      <Actions job={job} leave={leave} />
      {job.rows.length > 0 && <Rows rows={job.rows} isPreview={job.isPreview} />}
    </Stack>
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
