import { Input, TextInput } from '@mantine/core'
import { useText } from '../../../texts/text.ts'
import type { FieldsProps } from './shape-fields.tsx'

/** Dark colours that are read on white by any scanner. */
const DARK = ['#000000', '#1a2f66', '#08734f', '#9c1f17', '#62359c', '#8a3d00']

export function ColourFields({ style, change, errorOf }: FieldsProps) {
  const { t } = useText()
  const error = errorOf('dark')
  return (
    <fieldset className="choice">
      <legend>{t('qr.colours')}</legend>
      <div className="colour-swatches">
        {DARK.map((dark) => (
          <button
            key={dark}
            type="button"
            style={{ background: dark }}
            aria-label={t('qr.colour', { colour: dark })}
            aria-pressed={style.dark === dark && style.light === '#ffffff'}
            onClick={() => change({ dark, light: '#ffffff' })}
          />
        ))}
      </div>
      <div className="colour-fields">
        {(['dark', 'light'] as const).map((name) => (
          <TextInput
            key={name}
            type="color"
            label={t(name === 'dark' ? 'qr.dark' : 'qr.light')}
            value={style[name]}
            onChange={({ currentTarget }) => change({ [name]: currentTarget.value })}
            error={name === 'dark' && error !== undefined}
            styles={{ input: { padding: 4 } }}
          />
        ))}
      </div>
      {error !== undefined && (
        <Input.Error role="alert" mt={4}>
          {error}
        </Input.Error>
      )}
    </fieldset>
  )
}
