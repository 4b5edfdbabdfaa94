import { Anchor, Button, Select, Skeleton, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { CallError } from '@latchkey/web/call'
import { call } from '../../call.ts'
import { PartFailed } from '../../parts/part-failed.tsx'
import { changed } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import { useEveryBundle } from '../bundles/every.ts'

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

/** Puts all of them into a bundle; those that are in it already stay. */
export function AddToBundle({ ids, onDone }: { ids: readonly number[]; onDone: () => void }) {
  const { say, failure } = useText()
  const [chosen, setChosen] = useState<string | null>(null)
  const bundles = useEveryBundle()
  const add = useMutation({
    mutationFn: ({ id }: { id: number; name: string }) => Promise.all(ids.map((link) => isAdded(id, link))),
    onSuccess(added, { name }) {
      notifications.show({
        message: say('links.added', { count: added.filter(Boolean).length, name }),
        closeButtonProps: { 'aria-label': say('shell.close') },
      })
      onDone()
    },
    onSettled: () => changed('bundles'),
  })
  if (bundles.error && !bundles.data)
    return <PartFailed error={bundles.error} onRetry={() => void bundles.refetch()} />
  if (!bundles.data) return <Skeleton height={36} />
  const bundle = bundles.data.find(({ id }) => String(id) === chosen)
  if (bundles.data.length === 0)
    return (
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{say('links.bundleNone')}</Text>
        <Anchor component={Link} href="/bundles" size="sm" underline="always">
          {say('links.toBundles')}
        </Anchor>
      </Stack>
    )
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (bundle) add.mutate(bundle)
      }}
    >
      <Stack gap="md">
        <Select
          label={say('links.bundle')}
          placeholder={say('links.bundleChoose')}
          data-autofocus
          searchable
          nothingFoundMessage={say('links.bundleNoMatch')}
          limit={50}
          data={bundles.data.map(({ id, name }) => ({ value: String(id), label: name }))}
          value={chosen}
          onChange={setChosen}
          error={add.error && failure(add.error)}
        />
        <Button type="submit" disabled={!bundle} loading={add.isPending} style={{ alignSelf: 'flex-end' }}>
          {say('links.add')}
        </Button>
      </Stack>
    </form>
  )
}
