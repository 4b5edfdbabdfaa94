import { Checkbox, Input, NativeSelect, Paper, Radio, Stack, Table, Text } from '@mantine/core'
import type { MappableField } from '../../../transfer/mapping.ts'
import { DomainField } from '../../parts/domain-field.tsx'
import { useText } from '../../texts/text.ts'
import { type ColumnFields, type InspectedFile, fieldTexts, isRepeated, mappableFields } from './columns.ts'
import { type Draft, type ImportOptions, changeDraft, isTable } from './job.ts'

/** Formats whose links may have tags. In tables, a column has them. */
const TAGGED = ['shlink', 'bitly', 'dub', 'shortio'] as const satisfies readonly Draft['format'][]

/** Formats whose codes answer in any case. */
const CASELESS = ['csv', 'shrtnr', 'ndjson', 'dub'] as const satisfies readonly Draft['format'][]
const CASELESS_MODES = ['auto', 'exact', 'off'] as const satisfies readonly ImportOptions['legacy'][]
const EXACT_MODES = ['auto', 'off'] as const satisfies readonly ImportOptions['legacy'][]

/** The columns of a table, and the policies of the import. Loaded once there is something to import. */
export default function Options({ draft }: { draft: Draft }) {
  const { t } = useText()
  const { inspected, fields, format, options } = draft
  const change = (next: Partial<ImportOptions>) => changeDraft({ options: { ...options, ...next } })
  const hasTags = isTable(draft) ? fields.includes('tags') : TAGGED.some((tagged) => tagged === format)
  return (
    <Stack gap="lg">
      {isTable(draft) && inspected && <Columns columns={inspected.columns} fields={fields} />}
      <DomainField
        value={options.domain ?? ''}
        description={t('transfer.domainHelp')}
        onChange={(domain) => change({ domain })}
      />
      <Radio.Group
        label={t('transfer.conflicts')}
        value={options.on_conflict}
        onChange={(value) => change({ on_conflict: value })}
      >
        <Stack gap="xs" mt="xs">
          {(['report', 'skip', 'rename', 'overwrite'] as const).map((policy) => (
            <Radio
              key={policy}
              value={policy}
              label={t(`transfer.conflict.${policy}`)}
              description={t(`transfer.conflict.${policy}Help`)}
            />
          ))}
        </Stack>
      </Radio.Group>
      <Checkbox
        label={t('transfer.skipSameUrl')}
        description={t('transfer.skipSameUrlHelp')}
        checked={options.same_url === 'skip'}
        onChange={({ currentTarget: { checked } }) => change({ same_url: checked ? 'skip' : 'keep' })}
      />
      <LegacyChoice draft={draft} />
      {hasTags && (
        <Checkbox
          label={t('transfer.bundles')}
          description={t('transfer.bundlesHelp')}
          checked={options.bundles_from_tags}
          onChange={({ currentTarget: { checked } }) => change({ bundles_from_tags: checked })}
        />
      )}
    </Stack>
  )
}

/** Which codes of the file the links answer exactly, beside a new slug. */
function LegacyChoice({ draft: { format, options } }: { draft: Draft }) {
  const { t } = useText()
  const isCaseless = CASELESS.some((caseless) => caseless === format)
  return (
    <Radio.Group
      label={t('transfer.legacy')}
      value={options.legacy}
      onChange={(value) => changeDraft({ options: { ...options, legacy: value } })}
    >
      <Stack gap="xs" mt="xs">
        {(isCaseless ? CASELESS_MODES : EXACT_MODES).map((mode) => (
          <Radio
            key={mode}
            value={mode}
            label={t(`transfer.legacy.${mode}`)}
            description={t(
              !isCaseless && mode === 'auto' ? 'transfer.legacy.caseHelp' : `transfer.legacy.${mode}Help`,
            )}
          />
        ))}
      </Stack>
    </Radio.Group>
  )
}

function Columns({ columns, fields }: { columns: InspectedFile['columns']; fields: ColumnFields }) {
  const { t } = useText()
  return (
    <Input.Wrapper
      label={t('transfer.columns')}
      labelElement="div"
      description={t('transfer.columnsHelp')}
      error={!fields.includes('url') && t('transfer.urlUnmapped')}
      errorProps={{ role: 'alert' }}
    >
      <Paper withBorder my="xs">
        <Table layout="fixed" verticalSpacing="xs" horizontalSpacing="md" aria-label={t('transfer.columns')}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('transfer.column')}</Table.Th>
              <Table.Th w="48%">{t('transfer.field')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {columns.map((column, at) => (
              <Table.Tr key={column.name}>
                <Table.Td style={{ verticalAlign: 'top' }}>
                  <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }} dir="auto">
                    {column.name}
                  </Text>
                  {column.samples.map((sample, row) => (
                    <Text key={row} size="xs" c="dimmed" truncate title={sample} dir="auto">
                      {sample}
                    </Text>
                  ))}
                </Table.Td>
                <Table.Td style={{ verticalAlign: 'top' }}>
                  <FieldChoice name={column.name} fields={fields} at={at} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Paper>
    </Input.Wrapper>
  )
}

function FieldChoice({ name, fields, at }: { name: string; fields: ColumnFields; at: number }) {
  const { t } = useText()
  return (
    <NativeSelect
      size="sm"
      aria-label={t('transfer.fieldOf', { name })}
      value={fields[at] ?? ''}
      error={isRepeated(fields, at) && t('transfer.fieldRepeated')}
      data={[
        { value: '', label: t('transfer.ignore') },
        ...mappableFields.map((value) => ({ value, label: t(fieldTexts[value]) })),
      ]}
      onChange={({ currentTarget: { value } }) =>
        changeDraft({ fields: fields.with(at, value === '' ? null : (value as MappableField)) })
      }
    />
  )
}
