import { Button, Skeleton, Stack } from '@mantine/core'
import { CallError } from '@latchkey/web/call'
import { Notice } from '@latchkey/web/parts/notice'
import { ErrorNotice } from '@latchkey/web/shell/error-boundary'
import { Suspense } from 'react'
import { Link } from 'wouter'
import { lazyPart } from '../../parts/lazy-part.ts'
import { useCall } from '../../queries.ts'
import { planTexts } from '../../texts/plans.ts'
import { useText } from '../../texts/text.ts'
import { PlanHeading } from './heading.tsx'

const PlanContent = lazyPart(planTexts, () => import('./content.tsx'))

/** A plan with what it changes, which the viewer applies, discards or undoes (L29.5). */
export default function PlanPage({ id }: { id: number }) {
  const { t } = useText()
  const plan = useCall('plans', 'getPlan', { params: { id } })
  const isGone = plan.error instanceof CallError && plan.error.status === 404
  if (isGone)
    return (
      <Stack gap="lg">
        <PlanHeading id={id} />
        <Notice
          title={t('plans.gone')}
          help={t('plans.goneHelp')}
          action={
            <Button component={Link} href="/plans">
              {t('plans.toList')}
            </Button>
          }
        />
      </Stack>
    )
  return (
    <Stack gap="lg">
      <PlanHeading id={id} />
      {plan.isLoadingError && <ErrorNotice error={plan.error} onRetry={() => void plan.refetch()} />}
      {plan.isPending && <Skeleton height={320} />}
      {plan.data && (
        <Suspense fallback={<Skeleton height={320} />}>
          <PlanContent plan={plan.data.body} />
        </Suspense>
      )}
    </Stack>
  )
}
