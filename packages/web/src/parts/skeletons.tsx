import { Skeleton, Stack } from '@mantine/core'

/** Height of a row with two lines of text, in pixels (docs/design.md). */
const ROW_HEIGHT = 46

/** Placeholder of a list while it is read. `label` is read out. */
export function RowSkeletons({ rows = 5, label }: { rows?: number; label?: string }) {
  return (
    <Stack gap={2} role="status" aria-label={label}>
      {Array.from({ length: rows }, (_, index) => (
        <Skeleton key={index} height={ROW_HEIGHT} radius="sm" />
      ))}
    </Stack>
  )
}
