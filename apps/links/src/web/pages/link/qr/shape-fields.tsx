import { TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { useText } from '../../../texts/text.ts'
import { Choice } from './choice.tsx'
import type { QrStyle } from './style.ts'

const MAX_FRAME_LENGTH = 30

export interface FieldsProps {
  style: QrStyle
  change: (changes: Partial<QrStyle>) => void
  errorOf: (field: 'size' | 'level' | 'dark' | 'margin' | 'shape' | 'eyes' | 'frame') => string | undefined
}

/** A piece of a code, by its dark modules. */
const MODULES = [
  [0, 0],
  [2, 0],
  [3, 0],
  [0, 1],
  [1, 1],
  [3, 1],
  [1, 2],
  [2, 2],
  [0, 3],
  [2, 3],
  [3, 3],
] as const

const SHAPES: Readonly<Record<QrStyle['shape'], ReactNode>> = {
  square: MODULES.map(([x, y]) => <rect key={`${x}${y}`} x={2 + x * 6} y={2 + y * 6} width={6} height={6} />),
  round: MODULES.map(([x, y]) => <circle key={`${x}${y}`} cx={5 + x * 6} cy={5 + y * 6} r={2.8} />),
}

function eye(outer: number, inner: number) {
  return (
    <>
      <rect
        x={3.5}
        y={3.5}
        width={21}
        height={21}
        rx={outer}
        fill="none"
        stroke="currentColor"
        strokeWidth={3}
      />
      <rect x={9.5} y={9.5} width={9} height={9} rx={inner} />
    </>
  )
}

const EYES: Readonly<Record<QrStyle['eyes'], ReactNode>> = {
  square: eye(0, 0),
  rounded: eye(5, 3),
  circle: eye(10.5, 4.5),
}

const FRAMES = {
  none: <path d="M5 5h8v8h-8zM15 5h8v8h-8zM5 15h8v8h-8zM15 15h3v3h-3zM20 20h3v3h-3z" />,
  text: (
    <path
      fillRule="evenodd"
      d="M6 1h16a3 3 0 0 1 3 3v20a3 3 0 0 1 -3 3h-16a3 3 0 0 1 -3 -3v-20a3 3 0 0 1 3 -3zM6 4v15h16v-15zM9 22v2h10v-2zM9 7h4v4h-4zM15 7h4v4h-4zM9 13h4v3h-4zM16 13h3v3h-3z"
    />
  ),
}

export function ShapeFields({ style, change, errorOf }: FieldsProps) {
  const { t } = useText()
  return (
    <>
      <Choice
        label={t('qr.shape')}
        options={(['square', 'round'] as const).map((value) => ({
          value,
          label: t(`qr.shape.${value}`),
          drawing: SHAPES[value],
        }))}
        value={style.shape}
        onChange={(shape) => change({ shape })}
        error={errorOf('shape')}
      />
      <Choice
        label={t('qr.eyes')}
        options={(['square', 'rounded', 'circle'] as const).map((value) => ({
          value,
          label: t(`qr.eyes.${value}`),
          drawing: EYES[value],
        }))}
        value={style.eyes}
        onChange={(eyes) => change({ eyes })}
        error={errorOf('eyes')}
      />
      <Choice
        label={t('qr.frame')}
        options={(['none', 'text'] as const).map((value) => ({
          value,
          label: t(`qr.frame.${value}`),
          drawing: FRAMES[value],
        }))}
        value={style.frame === null ? 'none' : 'text'}
        onChange={(frame) => change({ frame: frame === 'none' ? null : t('qr.frameDefault') })}
      />
      {style.frame !== null && (
        <TextInput
          label={t('qr.frameText')}
          maxLength={MAX_FRAME_LENGTH}
          value={style.frame}
          onChange={({ currentTarget }) => change({ frame: currentTarget.value })}
          error={errorOf('frame')}
        />
      )}
    </>
  )
}
