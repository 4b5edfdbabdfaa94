import {
  Button,
  FileButton,
  Group,
  Input,
  Paper,
  SegmentedControl,
  Select,
  Stack,
  Text,
  Textarea,
} from '@mantine/core'
import { IconUpload } from '@latchkey/web/icons'
import { useState } from 'react'
import { useText } from '../../texts/text.ts'
import { type Format, formats } from './format.ts'
import {
  type Draft as Chosen,
  UPLOAD_LIMIT_BYTES,
  changeDraft,
  chooseFile,
  contentOf,
  pasteText,
  startJob,
} from './job.ts'

/** What is to be imported. */
export function Draft({ draft }: { draft: Chosen }) {
  const { say } = useText()
  const content = contentOf(draft)
  const isTooLarge = content !== undefined && content.size > UPLOAD_LIMIT_BYTES
  return (
    <Stack gap="md" maw={640}>
      <SegmentedControl
        aria-label={say('transfer.source')}
        value={draft.source}
        onChange={(source) => changeDraft({ source })}
        data={[
          { value: 'file', label: say('transfer.file') },
          { value: 'paste', label: say('transfer.paste') },
        ]}
        style={{ alignSelf: 'start' }}
      />
      {draft.source === 'file' ? (
        <FileChoice file={draft.file} />
      ) : (
        <Textarea
          label={say('transfer.text')}
          autosize
          minRows={6}
          maxRows={16}
          spellCheck={false}
          placeholder={'url,slug,label\nhttps://example.com/,example,Example'}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          value={draft.text}
          onChange={({ currentTarget }) => pasteText(currentTarget.value)}
        />
      )}
      {isTooLarge && <Input.Error role="alert">{say('transfer.tooLarge')}</Input.Error>}
      <Select
        label={say('transfer.format')}
        description={content && say('transfer.formatHelp')}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        allowDeselect={false}
        maw={320}
        data={formats.map((value) => ({ value, label: say(`transfer.format.${value}`) }))}
        value={draft.format}
        onChange={(value) => changeDraft({ format: value as Format })}
      />
      <Group>
        <Button disabled={content === undefined || isTooLarge} onClick={() => void startJob(true)}>
          {say('transfer.preview')}
        </Button>
      </Group>
    </Stack>
  )
}

function FileChoice({ file }: { file: File | undefined }) {
  const { say, language } = useText()
  const [isOver, setIsOver] = useState(false)
  const size = new Intl.NumberFormat(language, {
    style: 'unit',
    unit: 'kilobyte',
    maximumFractionDigits: 1,
  }).format((file?.size ?? 0) / 1024)
  return (
    <Paper
      withBorder
      p="lg"
      style={{ borderStyle: 'dashed', ...(isOver && { borderColor: 'var(--mantine-primary-color-filled)' }) }}
      onDragOver={(event) => {
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setIsOver(false)
        const dropped = event.dataTransfer.files[0]
        if (dropped) void chooseFile(dropped)
      }}
    >
      <Group gap="sm">
        <FileButton
          onChange={(chosen) => chosen && void chooseFile(chosen)}
          inputProps={{ 'aria-label': say('transfer.choose'), tabIndex: -1 }}
        >
          {(props) => (
            <Button {...props} variant="default" leftSection={<IconUpload size={16} aria-hidden />}>
              {say(file ? 'transfer.chooseOther' : 'transfer.choose')}
            </Button>
          )}
        </FileButton>
        <Text size="sm" {...(!file && { c: 'dimmed' })} style={{ overflowWrap: 'anywhere' }} role="status">
          {file ? say('transfer.chosen', { name: file.name, size }) : say('transfer.drop')}
        </Text>
      </Group>
    </Paper>
  )
}
