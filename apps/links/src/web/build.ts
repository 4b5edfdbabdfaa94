import { join } from 'node:path'
import { type OperationTable, bundleClient, operationTable } from '@latchkey/web/build'
import { adminOperations } from '../http/operations.ts'

/** What the pages know of each operation: how to call it. */
export const operations: OperationTable = operationTable(adminOperations)

const [, , folder] = Bun.argv
if (import.meta.main && folder !== undefined)
  await bundleClient(folder, {
    main: join(import.meta.dirname, 'main.tsx'),
    assets: '/_/admin/assets/',
    title: 'Latchkey Links',
    operations,
  })
