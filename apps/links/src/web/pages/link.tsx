import { Skeleton } from '@mantine/core'
import { useCall } from '../queries.ts'
import { Failed } from '../shell/boundary.tsx'
import { PageHeading } from '../shell/heading.tsx'
import { useText } from '../texts/text.ts'

export default function LinkDetail({ id }: { id: number }) {
  const { say } = useText()
  const link = useCall('links', 'getLink', { params: { id } })
  if (link.error && !link.data) return <Failed error={link.error} onRetry={() => void link.refetch()} />
  const name = link.data?.body.label ?? say('links.link')
  return (
    <>
      <PageHeading title={name} />
      {link.isPending && <Skeleton height={320} />}
    </>
  )
}
