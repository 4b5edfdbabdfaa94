import { Alert, List } from '@mantine/core'
import { visible } from '../../parts/history/visible.ts'
import { useText } from '../../texts/text.ts'
import type { Plan } from './plan.ts'

/** What a person should know before they apply the plan, with every host of a destination that is new. */
export function Warnings({ plan: { warnings, state } }: { plan: Plan }) {
  const { t } = useText()
  if (warnings.length === 0 || state !== 'open') return null
  return (
    <Alert color="orange" title={t('plans.warnings')}>
      <List size="sm">
        {warnings.map(({ code, count, clicks, hosts = [] }) => (
          <List.Item key={code}>
            {t(`plans.warning.${code}`, { count })}
            {clicks !== undefined && clicks > 0 && <> ({t('plans.clicks', { count: clicks })})</>}
            {hosts.length > 0 && <Hosts hosts={hosts} />}
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}

/** Lists all hosts in full. */
export function Hosts({ hosts }: { hosts: readonly string[] }) {
  return (
    <ul className="hosts">
      {hosts.map((host) => (
        <li key={host}>
          <bdi dir="ltr">{visible(host)}</bdi>
        </li>
      ))}
    </ul>
  )
}
