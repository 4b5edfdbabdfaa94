import { Tabs } from '@mantine/core'
import { useQueryString } from '@latchkey/web/query-string'
import type { ComponentType } from 'react'
import { TabsLine } from '../../parts/tabs-line.tsx'
import { useText } from '../../texts/text.ts'
import { AuditLog } from './audit-log.tsx'
import { People } from './people.tsx'
import { OpenProvider, ProviderStatus } from './provider-status.tsx'
import { AllRooms } from './all-rooms.tsx'
import { InstanceSettings } from './instance-settings.tsx'

/**
 * Parts of the page. The part is in the query string, which allows links to it and survives a new
 * sign-in.
 */
const PARTS = {
  people: People,
  rooms: AllRooms,
  settings: InstanceSettings,
  provider: ProviderStatus,
  audit: AuditLog,
} as const satisfies Record<string, ComponentType>
type Part = keyof typeof PARTS

const isPart = (name: string): name is Part => Object.hasOwn(PARTS, name)

/** Administration of the instance (R23.5). */
export default function AdminPage() {
  const { t } = useText()
  const [{ part }, setQuery] = useQueryString({ part: 'people' })
  const current = isPart(part) ? part : 'people'
  const Content = PARTS[current]
  return (
    <Tabs value={current} onChange={(next) => next !== null && setQuery({ part: next })} keepMounted={false}>
      <TabsLine aria-label={t('admin.parts')}>
        {(Object.keys(PARTS) as Part[]).map((name) => (
          <Tabs.Tab key={name} value={name}>
            {t(`admin.part.${name}`)}
          </Tabs.Tab>
        ))}
      </TabsLine>
      <Tabs.Panel value={current} pt="lg">
        <OpenProvider />
        <Content />
      </Tabs.Panel>
    </Tabs>
  )
}
