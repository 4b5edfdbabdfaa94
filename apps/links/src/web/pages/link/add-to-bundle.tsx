import { Anchor, Button, Select, Skeleton, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Link as To } from 'wouter'
import { call } from '../../call.ts'
import { changed, useCall } from '../../queries.ts'
import { PartFailed } from '../../parts/part-failed.tsx'
import { useText } from '../../texts/text.ts'
import { useEveryBundle } from '../bundles/every.ts'
import type { Link } from './link.ts'

export function AddToBundle({ link, close }: { link: Link; close: () => void }) {
  const { say, failure } = useText()
  const [chosen, setChosen] = useState<string | null>(null)
  const all = useEveryBundle()
  const inThese = useCall('bundles', 'listBundlesForLink', { params: { id: link.id } })
  const add = useMutation({
    mutationFn: ({ id }: { id: number; name: string }) =>
      call('addLinkToBundle', { params: { id }, body: { link_id: link.id } }),
    async onSuccess(_, { name }) {
      await changed('bundles')
      close()
      notifications.show({ message: say('link.bundleAdded', { name }), withCloseButton: false })
    },
  })
  const again = () => void Promise.all([all.refetch(), inThese.refetch()])
  const failed = all.error ?? inThese.error
  if (failed && !(all.data && inThese.data)) return <PartFailed error={failed} onRetry={again} />
  if (!all.data || !inThese.data) return <Skeleton height={36} />
  const known = new Set(inThese.data.body.map(({ id }) => id))
  const bundles = all.data.filter(({ id }) => !known.has(id))
  if (bundles.length === 0) return <NoBundles />
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
          label={say('link.bundle')}
          placeholder={say('link.bundleChoose')}
          autoFocus
          openOnFocus={false}
          searchable
          nothingFoundMessage={say('link.bundleNoMatch')}
          limit={50}
          comboboxProps={{ withinPortal: true }}
          data={bundles.map(({ id, name }) => ({ value: String(id), label: name }))}
          value={chosen}
          onChange={setChosen}
          error={add.error && failure(add.error)}
        />
        <Button type="submit" disabled={!bundle} loading={add.isPending} style={{ alignSelf: 'flex-end' }}>
          {say('link.add')}
        </Button>
      </Stack>
    </form>
  )
}

function NoBundles() {
  const { say } = useText()
  return (
    <Stack gap="sm" align="flex-start">
      <Text size="sm">{say('link.bundleNone')}</Text>
      <Anchor component={To} href="/bundles" size="sm" underline="always">
        {say('link.toBundles')}
      </Anchor>
    </Stack>
  )
}
