import { Alert, List } from '@mantine/core'
import type { Result } from '../../call.ts'
import { textOfCode, useText } from '../../texts/text.ts'

/** What an undo left as it is, and why. */
export function Remaining({ remaining }: { remaining: Result<'undoChanges'>['remaining'] }) {
  const { t } = useText()
  if (remaining.length === 0) return null
  return (
    <Alert color="orange" title={t('history.remaining')}>
      <List size="sm">
        {remaining.map(({ kind, link_id, bundle_id, code }) => (
          <List.Item key={`${kind} ${link_id} ${bundle_id}`}>
            {t(`history.kind.${kind}`)}
            {link_id !== null && <> · {t('history.link', { id: link_id })}</>}
            {bundle_id !== null && <> · {t('history.bundle', { id: bundle_id })}</>}: {t(textOfCode(code))}
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}
