import { Alert, Button, Group, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { Copy } from '@latchkey/web/parts/copy'
import { useRead } from '@latchkey/web/queries'
import { useMutation } from '@tanstack/react-query'
import { call } from '../call.ts'
import { useText } from '../texts/text.ts'
import { ReadError } from './read-error.tsx'

const params = (id: number) => ({ params: { id } })

const operations = {
  link: {
    read: (id: number) => call('getLinkShare', params(id)),
    create: (id: number) => call('shareLink', params(id)),
    revoke: (id: number) => call('unshareLink', params(id)),
  },
  bundle: {
    read: (id: number) => call('getBundleShare', params(id)),
    create: (id: number) => call('shareBundle', params(id)),
    revoke: (id: number) => call('unshareBundle', params(id)),
  },
}

export interface ShareProps {
  /** The subject of the shared statistics. */
  kind: keyof typeof operations
  id: number
}

/** Creates, replaces and revokes the address of shared statistics. */
export default function ShareDialog({ kind, id }: ShareProps) {
  const { t, failure } = useText()
  const { read, create, revoke } = operations[kind]
  const share = useRead(['shares', kind, id], () => read(id))
  const creation = useMutation({ mutationFn: () => create(id), onSettled: () => void share.refetch() })
  const revocation = useMutation({
    mutationFn: () => revoke(id),
    onSuccess: () => creation.reset(),
    onSettled: () => void share.refetch(),
  })
  const error = creation.error ?? revocation.error
  if (share.error && !share.data)
    return <ReadError error={share.error} onRetry={() => void share.refetch()} />
  if (!share.data) return <Skeleton height={120} />
  const isShared = share.data.created_at !== null
  return (
    <Stack gap="md">
      <Text size="sm">{t(`share.help.${kind}`)}</Text>
      <Address url={creation.data?.url} sharedAt={share.data.created_at} />
      {error && (
        <Alert color="red" role="alert">
          {failure(error)}
        </Alert>
      )}
      <Group justify="flex-end" gap="sm">
        {isShared && (
          <Button
            variant="subtle"
            color="red"
            loading={revocation.isPending}
            onClick={() => revocation.mutate()}
          >
            {t('share.revoke')}
          </Button>
        )}
        <Button
          variant={isShared ? 'default' : 'filled'}
          loading={creation.isPending}
          onClick={() => creation.mutate()}
        >
          {t(isShared ? 'share.replace' : 'share.create')}
        </Button>
      </Group>
    </Stack>
  )
}

/** The address, which is known only when it was just created. */
function Address({ url, sharedAt }: { url: string | undefined; sharedAt: number | null }) {
  const { t, day } = useText()
  if (url !== undefined)
    return (
      <TextInput
        label={t('share.address')}
        description={t('share.once')}
        inputWrapperOrder={['label', 'input', 'description']}
        value={url}
        readOnly
        onFocus={({ currentTarget }) => currentTarget.select()}
        rightSection={<Copy value={url} />}
      />
    )
  if (sharedAt === null) return null
  return (
    <Text size="sm" c="dimmed">
      {t('share.since', { day: day(sharedAt) })}
    </Text>
  )
}
