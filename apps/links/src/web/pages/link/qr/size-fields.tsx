import { NativeSelect } from '@mantine/core'
import { IntegerField } from '@latchkey/web/parts/integer-field'
import { useText } from '../../../texts/text.ts'
import type { FieldsProps } from './shape-fields.tsx'
import type { QrStyle } from './style.ts'

const LEVELS = ['L', 'M', 'Q', 'H'] as const
const MAX_SIZE = 2048
const MAX_MARGIN = 16

export function SizeFields({ style, change, errorOf }: FieldsProps) {
  const { t } = useText()
  return (
    <div className="size-fields">
      <IntegerField
        label={t('qr.size')}
        min={1}
        max={MAX_SIZE}
        step={20}
        value={style.size}
        onChange={(size) => size !== null && change({ size })}
        error={errorOf('size')}
      />
      <IntegerField
        label={t('qr.margin')}
        max={MAX_MARGIN}
        value={style.margin}
        onChange={(margin) => margin !== null && change({ margin })}
        error={errorOf('margin')}
      />
      <NativeSelect
        label={t('qr.level')}
        data={LEVELS.map((value) => ({ value, label: t(`qr.level.${value}`) }))}
        value={style.level}
        onChange={({ currentTarget }) => change({ level: currentTarget.value as QrStyle['level'] })}
        error={errorOf('level')}
      />
    </div>
  )
}
