import {
  Button,
  FileButton,
  Group,
  Input,
  NativeSelect,
  Paper,
  SegmentedControl,
  Skeleton,
  Stack,
  Text,
  Textarea,
} from '@mantine/core'
import { IconUpload } from '@latchkey/web/icons'
import { Suspense, lazy, useState } from 'react'
import { MAX_UPLOAD_BYTES } from '../../../transfer/upload-limit.ts'
import { useText } from '../../texts/text.ts'
import { reasonText } from './reason.ts'
import {
  type Draft as DraftState,
  type Format,
  changeDraft,
  draftContent,
  isReady,
  pasteText,
  selectFile,
  selectSource,
  startJob,
} from './job.ts'

const Options = lazy(() => import('./options.tsx'))

const formats: readonly Format[] = [
  'csv',
  'ndjson',
  'shrtnr',
  'yourls',
  'kutt',
  'shlink',
  'bitly',
  'dub',
  'shortio',
]

/** Form for the file or text to import. */
export function Draft({ draft }: { draft: DraftState }) {
  const { t } = useText()
  const content = draftContent(draft)
  const isTooLarge = content !== undefined && content.size > MAX_UPLOAD_BYTES
  return (
    <Stack gap="md" maw={640}>
      <SegmentedControl
        aria-label={t('transfer.source')}
        value={draft.source}
        onChange={selectSource}
        data={[
          { value: 'file', label: t('transfer.file') },
          { value: 'paste', label: t('transfer.paste') },
        ]}
        style={{ alignSelf: 'start' }}
      />
      {draft.source === 'file' ? (
        <FileChoice file={draft.file} />
      ) : (
        <Textarea
          label={t('transfer.text')}
          rows={10}
          spellCheck={false}
          placeholder={'url,slug,label\nhttps://example.com/,example,Example'}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          value={draft.text}
          onChange={({ currentTarget }) => pasteText(currentTarget.value)}
        />
      )}
      {isTooLarge && <Input.Error role="alert">{t('transfer.tooLarge')}</Input.Error>}
      <NativeSelect
        label={t('transfer.format')}
        description={<FormatHelp draft={draft} />}
        descriptionProps={{ role: 'status' }}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        maw={400}
        data={formats.map((value) => ({ value, label: t(`transfer.format.${value}`) }))}
        value={draft.format}
        onChange={({ currentTarget: { value } }) =>
          changeDraft({ format: value as Format, isFormatChosen: true })
        }
      />
      {content && (
        <Suspense fallback={<Skeleton height={240} />}>
          <Options draft={draft} />
        </Suspense>
      )}
      <Group>
        <Button
          disabled={content === undefined || isTooLarge || !isReady(draft)}
          onClick={() => void startJob(true)}
        >
          {t('transfer.preview')}
        </Button>
      </Group>
    </Stack>
  )
}

/** The recognised format of the content. */
function FormatHelp({ draft: { inspected } }: { draft: DraftState }) {
  const { t } = useText()
  if (!inspected) return null
  const { format, columns, problem } = inspected
  if (problem) return reasonText(t, problem)
  const isUnknown = format === 'csv' && !columns.some(({ field }) => field === 'url')
  if (isUnknown) return t(columns.length > 0 ? 'transfer.unknownTable' : 'transfer.unknown')
  return t('transfer.recognised', { format: t(`transfer.format.${format}`) })
}

function FileChoice({ file }: { file: File | undefined }) {
  const { t, language } = useText()
  const [isDragOver, setIsDragOver] = useState(false)
  const size = new Intl.NumberFormat(language, {
    style: 'unit',
    unit: 'kilobyte',
    maximumFractionDigits: 1,
  }).format((file?.size ?? 0) / 1024)
  return (
    <Paper
      withBorder
      p="lg"
      style={{
        borderStyle: 'dashed',
        ...(isDragOver && { borderColor: 'var(--mantine-primary-color-filled)' }),
      }}
      onDragOver={(event) => {
        event.preventDefault()
        setIsDragOver(true)
      }}
      onDragLeave={() => setIsDragOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setIsDragOver(false)
        const droppedFile = event.dataTransfer.files[0]
        if (droppedFile) selectFile(droppedFile)
      }}
    >
      <Group gap="sm">
        <FileButton
          onChange={(next) => next && selectFile(next)}
          inputProps={{ 'aria-label': t('transfer.choose'), tabIndex: -1 }}
        >
          {(props) => (
            <Button {...props} variant="default" leftSection={<IconUpload size={16} aria-hidden />}>
              {t(file ? 'transfer.chooseOther' : 'transfer.choose')}
            </Button>
          )}
        </FileButton>
        <Text size="sm" {...(!file && { c: 'dimmed' })} style={{ overflowWrap: 'anywhere' }} role="status">
          {file ? t('transfer.chosen', { name: file.name, size }) : t('transfer.drop')}
        </Text>
      </Group>
    </Paper>
  )
}
