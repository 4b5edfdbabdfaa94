import { Skeleton } from '@mantine/core'
import { type ReactNode, Suspense } from 'react'
import { behaviourTexts } from '../../texts/behaviour.ts'
import { useText } from '../../texts/text.ts'
import type { Behaviour } from '../behaviour/types.ts'
import { lazyPart } from '../lazy-part.ts'
import { keyName } from '../short-url.ts'
import { DestinationUrl } from './destination.tsx'
import { Quoted } from './quoted.tsx'
import { BundleName, LinkName } from './subject-names.tsx'
import { type ValueChange, isUnset } from './values.ts'
import { visible } from './visible.ts'

const BehaviourValue = lazyPart(behaviourTexts, () => import('./behaviour-value.tsx'))

interface SlugValue {
  slug: string
  disabled_at?: number
}

type Words = Pick<ReturnType<typeof useText>, 't' | 'moment'>
type Display = (value: unknown, words: Words) => ReactNode

const quoted: Display = (value) => <Quoted text={String(value)} />
const time: Display = (value, { moment }) => moment(Number(value))
const secret: Display = (_, { t }) => t('history.set')

const DISPLAYS: Partial<Record<ValueChange['field'], Display>> = {
  url: (value) => <DestinationUrl url={String(value)} />,
  name: quoted,
  label: quoted,
  description: quoted,
  expires_at: time,
  disabled_at: time,
  archived_at: time,
  password: secret,
  share: secret,
  primary_slug: (value) => <bdi>{keyName(String(value))}</bdi>,
  slugs: (value, { t }) =>
    (value as SlugValue[]).map(({ slug, disabled_at: since }) => (
      <div key={slug}>
        <bdi>{keyName(slug)}</bdi>
        {since !== undefined && ` (${t('history.slugDisabled')})`}
      </div>
    )),
  legacy_paths: (value) =>
    (value as { path: string }[]).map(({ path }) => (
      <div key={path}>
        <bdi>/{visible(path)}</bdi>
      </div>
    )),
  bundles: (value) => listOf(value, (id) => <BundleName id={id} />),
  links: (value) => listOf(value, (id) => <LinkName id={id} />),
  behaviour: (value) => (
    <Suspense fallback={<Skeleton height={40} />}>
      <BehaviourValue behaviour={value as Behaviour} />
    </Suspense>
  ),
}

/** A value of a link or a bundle in full, because a person decides by it. */
export function Value({ field, value }: { field: ValueChange['field']; value: unknown }) {
  const { t, moment } = useText()
  if (isUnset(value)) return t('history.none')
  const display = DISPLAYS[field]
  if (display) return display(value, { t, moment })
  return <bdi>{visible(typeof value === 'string' ? value : JSON.stringify(value))}</bdi>
}

function listOf(ids: unknown, nameOf: (id: number) => ReactNode): ReactNode {
  return (ids as number[]).map((id) => (
    <div key={id} className="subject">
      {nameOf(id)}
    </div>
  ))
}
