import { Anchor, Text } from '@mantine/core'
import { createContext, useContext } from 'react'
import { Link as To } from 'wouter'
import { useText } from '../../texts/text.ts'
import { type OwnSlug, slugName } from '../short-url.ts'
import { Quoted } from './quoted.tsx'

export type LinkNames = OwnSlug & { label: string | null }

export interface SubjectNames {
  links: ReadonlyMap<number, LinkNames>
  bundles: ReadonlyMap<number, string>
}

/** The names of links and bundles, as far as they are known. */
export const Names = createContext<SubjectNames>({ links: new Map(), bundles: new Map() })

/** A link by slug and label. One that a plan creates has a negative id and no page yet. */
export function LinkName({ id }: { id: number }) {
  const { t } = useText()
  const link = useContext(Names).links.get(id)
  if (id < 0)
    return (
      <>
        <Text size="sm" span>
          {t('plans.newLink', { number: -id })}
        </Text>
        {link && link.slug !== '' && (
          <Text size="sm" span>
            <bdi>{slugName(link)}</bdi>
          </Text>
        )}
        {link && link.label !== null && <Quoted text={link.label} />}
      </>
    )
  return (
    <>
      <Anchor className="change-link" size="sm" component={To} href={`/links/${id}`} underline="always">
        <bdi>{link ? slugName(link) : t('history.link', { id })}</bdi>
      </Anchor>
      {link && link.label !== null && <Quoted text={link.label} />}
    </>
  )
}

/** A bundle by name. One that a plan creates has a negative id and no page yet. */
export function BundleName({ id }: { id: number }) {
  const { t } = useText()
  const name = useContext(Names).bundles.get(id)
  if (id < 0)
    return (
      <Text size="sm" span>
        {t('plans.newBundle', { number: -id })}
      </Text>
    )
  return (
    <>
      <Anchor className="change-link" size="sm" component={To} href={`/bundles/${id}`} underline="always">
        {t('history.bundle', { id })}
      </Anchor>
      {name !== undefined && <Quoted text={name} />}
    </>
  )
}
