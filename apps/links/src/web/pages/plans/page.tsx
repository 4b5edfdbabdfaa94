import { Skeleton, Stack, Text } from '@mantine/core'
import { Notice } from '@latchkey/web/parts/notice'
import { Suspense } from 'react'
import { lazyPart } from '../../parts/lazy-part.ts'
import { ReadError } from '../../parts/read-error.tsx'
import { useCall } from '../../queries.ts'
import { planTexts } from '../../texts/plans.ts'
import { useText } from '../../texts/text.ts'

const PlanList = lazyPart(planTexts, () => import('./list.tsx'))

/** The plans of the viewer, and for administrators those of everyone (L29.5). */
export default function PlansPage() {
  const { t } = useText()
  // The first page of the list, which is not loaded without any plans.
  const plans = useCall('plans', 'listPlans', { query: { limit: 25 } })
  const isEmpty = plans.data?.body.length === 0
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed" maw={640}>
        {t('plans.intro')}
      </Text>
      {plans.error && !plans.data && <ReadError error={plans.error} onRetry={() => void plans.refetch()} />}
      {plans.isPending && <Skeleton height={240} />}
      {isEmpty && <Notice title={t('plans.none')} help={t('plans.noneHelp')} />}
      {plans.data && !isEmpty && (
        <Suspense fallback={<Skeleton height={240} />}>
          <PlanList />
        </Suspense>
      )}
    </Stack>
  )
}
