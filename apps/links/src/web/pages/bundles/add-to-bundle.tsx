import { Anchor, Button, Select, Skeleton, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { CallError } from '@latchkey/web/call'
import { showSuccess } from '@latchkey/web/toast'
import { call } from '../../call.ts'
import { PartFailed } from '../../parts/part-failed.tsx'
import { changed, useCall } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import { useEveryBundle } from './every.ts'

const IS_GONE = 'Link not found'

/** Puts a link into a bundle, and says whether there still is such a link. */
async function isAdded(id: number, link: number): Promise<boolean> {
  try {
    return (await call('addLinkToBundle', { params: { id }, body: { link_id: link } })).added
  } catch (error) {
    if (error instanceof CallError && error.message === IS_GONE) return false
    throw error
  }
}

/** Puts all of them into a bundle; those that are in it already stay. A single link is offered only those that it is not in. */
export function AddToBundle({ ids, onDone }: { ids: readonly number[]; onDone: () => void }) {
  const { t, failure } = useText()
  const [chosen, setChosen] = useState<string | null>(null)
  const isOne = ids.length === 1
  const every = useEveryBundle()
  const holding = useCall('bundles', 'listBundlesForLink', { params: { id: ids[0] ?? 0 } }, isOne)
  const add = useMutation({
    mutationFn: ({ id }: { id: number; name: string }) => Promise.all(ids.map((link) => isAdded(id, link))),
    onSuccess(added, { name }) {
      showSuccess(t('bundles.linksAdded', { count: added.filter(Boolean).length, name }))
      onDone()
    },
    onSettled: () => changed('bundles'),
  })
  const isRead = every.data && (holding.data || !isOne)
  const failed = every.error ?? holding.error
  if (failed && !isRead)
    return (
      <PartFailed
        error={failed}
        onRetry={() => void Promise.all([every.refetch(), isOne && holding.refetch()])}
      />
    )
  if (!isRead) return <Skeleton height={36} />
  const known = new Set(holding.data?.body.map(({ id }) => id))
  const bundles = every.data.filter(({ id }) => !known.has(id))
  if (bundles.length === 0) return <NoBundle />
  const bundle = bundles.find(({ id }) => String(id) === chosen)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (bundle) add.mutate(bundle)
      }}
    >
      <Stack gap="md">
        <Select
          label={t('bundles.bundle')}
          placeholder={t('bundles.choose')}
          autoFocus
          openOnFocus={false}
          searchable
          nothingFoundMessage={t('bundles.noMatch')}
          limit={50}
          data={bundles.map(({ id, name }) => ({ value: String(id), label: name }))}
          value={chosen}
          onChange={setChosen}
          error={add.error && failure(add.error)}
        />
        <Button type="submit" disabled={!bundle} loading={add.isPending} style={{ alignSelf: 'flex-end' }}>
          {t('bundles.add')}
        </Button>
      </Stack>
    </form>
  )
}

function NoBundle() {
  const { t } = useText()
  return (
    <Stack gap="sm" align="flex-start">
      <Text size="sm">{t('bundles.noneToChoose')}</Text>
      <Anchor component={Link} href="/bundles" size="sm" underline="always">
        {t('bundles.open')}
      </Anchor>
    </Stack>
  )
}
