import { BrandMark } from '@latchkey/web/brand-mark'
import type { ReactNode } from 'react'
import { useText } from '../texts/text.ts'

/** A page before the rooms, in one card with the name of the instance. */
export function EntryCard({ children }: { children: ReactNode }) {
  const { t } = useText()
  return (
    <div className="entry-card">
      <div className="entry-instance">
        <BrandMark size={32} />
        <bdi>{t('app.name')}</bdi>
      </div>
      {children}
    </div>
  )
}
