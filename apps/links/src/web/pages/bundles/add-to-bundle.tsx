import { Anchor, Button, Select, Skeleton, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { showSuccess } from '@latchkey/web/toast'
import { filterOptions } from '@latchkey/web/filter-options'
import { call, isRefusal } from '../../call.ts'
import { focusFirstField } from '../../parts/focus-first-field.ts'
import { ReadError } from '../../parts/read-error.tsx'
import { invalidate, useCall } from '../../queries.ts'
import { useText } from '../../texts/text.ts'
import { useAllBundles } from './use-all-bundles.ts'

/**
 * Adds a link to a bundle. Returns whether the bundle changed: false for a deleted link or a
 * member.
 */
async function addLink(id: number, link: number): Promise<boolean> {
  try {
    return (await call('addLinkToBundle', { params: { id }, body: { link_id: link } })).added
  } catch (error) {
    if (isRefusal(error, 'link_not_found')) return false
    throw error
  }
}

interface Props {
  ids: readonly number[]
  /** Adds other links than those of `ids`, and returns how many. */
  add?: (bundle: number) => Promise<number>
  onDone: () => void
}

/** Form to add links to a bundle. For a single link, it omits the bundles that contain the link. */
export function AddToBundle({ ids, add: addOthers, onDone }: Props) {
  const { t, failure } = useText()
  const [bundleId, setBundleId] = useState<string | null>(null)
  const isOne = ids.length === 1
  const allBundles = useAllBundles()
  const currentBundles = useCall('bundles', 'listBundlesForLink', { params: { id: ids[0] ?? 0 } }, isOne)
  const add = useMutation({
    mutationFn: async ({ id }: { id: number; name: string }) => {
      if (addOthers) return addOthers(id)
      return (await Promise.all(ids.map((link) => addLink(id, link)))).filter(Boolean).length
    },
    onSuccess(count, { name }) {
      showSuccess(t('bundles.linksAdded', { count, name }))
      onDone()
    },
    onSettled: () => invalidate('bundles'),
  })
  const isLoaded = allBundles.data && (currentBundles.data || !isOne)
  const readError = allBundles.error ?? currentBundles.error
  if (readError && !isLoaded)
    return (
      <ReadError
        error={readError}
        onRetry={() => void Promise.all([allBundles.refetch(), isOne && currentBundles.refetch()])}
      />
    )
  if (!isLoaded) return <Skeleton height={36} />
  const currentIds = new Set(currentBundles.data?.body.map(({ id }) => id))
  const bundles = allBundles.data.filter(({ id }) => !currentIds.has(id))
  if (bundles.length === 0) return <NoBundle />
  const bundle = bundles.find(({ id }) => String(id) === bundleId)
  return (
    <form
      ref={focusFirstField}
      onSubmit={(event) => {
        event.preventDefault()
        if (bundle) add.mutate(bundle)
      }}
    >
      <Stack gap="md">
        <Select
          label={t('bundles.bundle')}
          placeholder={t('bundles.choose')}
          openOnFocus={false}
          searchable
          filter={filterOptions}
          nothingFoundMessage={t('bundles.noMatch')}
          limit={50}
          data={bundles.map(({ id, name }) => ({ value: String(id), label: name }))}
          value={bundleId}
          onChange={setBundleId}
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
