import { Button, Skeleton } from '@mantine/core'
import { showError, showSuccess } from '@latchkey/web/toast'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../call.ts'
import { Changes, OlderButton } from '../../parts/history/changes.tsx'
import { ReadError } from '../../parts/read-error.tsx'
import { invalidate, useCall } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import { type Link, isMine } from './link.ts'

const PAGE_SIZE = 25

/** The changes of a link, page after page, which its owner can restore. */
export default function LinkChanges({ link }: { link: Link }) {
  const [cursors, setCursors] = useState<readonly (string | undefined)[]>([undefined])
  return cursors.map((cursor, index) => (
    <Page
      key={cursor ?? ''}
      link={link}
      cursor={cursor}
      onOlder={index === cursors.length - 1 ? (next) => setCursors([...cursors, next]) : undefined}
    />
  ))
}

interface PageProps {
  link: Link
  cursor: string | undefined
  onOlder: ((cursor: string) => void) | undefined
}

function Page({ link, cursor, onOlder }: PageProps) {
  const { t, moment, failure } = useText()
  const query = { limit: PAGE_SIZE, ...(cursor !== undefined && { cursor }) }
  const { data, error, refetch } = useCall('history', 'listLinkHistory', { params: { id: link.id }, query })
  const restore = useMutation({
    mutationFn: (change_id: number) => call('restoreLink', { params: { id: link.id }, body: { change_id } }),
    onSuccess: () => showSuccess(t('history.restored')),
    onError: (refusal) => showError(failure(refusal), t('shell.close')),
    onSettled: () => invalidate('links', 'history', 'totals'),
  })
  if (error && !data) return <ReadError error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton height={160} mt="md" />
  const [latest] = data.body
  const { next } = data
  return (
    <>
      <Changes
        changes={data.body}
        actionFor={(change) =>
          isMine(link) &&
          change.after !== null &&
          !(cursor === undefined && change === latest) && (
            <Button
              variant="light"
              size="compact-sm"
              loading={restore.isPending && restore.variables === change.id}
              aria-label={t('history.restoreTo', { at: moment(change.changed_at) })}
              onClick={() => restore.mutate(change.id)}
            >
              {t('history.restore')}
            </Button>
          )
        }
      />
      {next !== undefined && onOlder && <OlderButton onClick={() => onOlder(next)} />}
    </>
  )
}
