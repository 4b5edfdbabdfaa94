import { formatAmounts } from '../output.ts'
import type { ServiceManifest } from './manifest.ts'
import type { BackupService } from './services.ts'

/** What a service has in a backup, such as "1 link, 2 slugs, 3 clicks". */
export function describeContent({ counted }: BackupService, { tables }: ServiceManifest): string {
  return formatAmounts(
    Object.entries(counted).map(([table, noun]) => [tables[table]?.rows ?? 0, noun] as const),
  )
}
