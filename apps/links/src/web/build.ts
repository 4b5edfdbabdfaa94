import { join } from 'node:path'
import { brandMark } from '@latchkey/web/brand'
import { type OperationTable, bundleClient, operationTable } from '@latchkey/web/build'
import { adminOperations } from '../http/operations.ts'

/** Method and path of each operation, for the calls of the pages. */
export const operations: OperationTable = operationTable(adminOperations)

const [, , folder] = Bun.argv
if (import.meta.main && folder !== undefined)
  await bundleClient(folder, {
    main: join(import.meta.dirname, 'main.tsx'),
    assets: '/_/admin/assets/',
    title: 'Latchkey Links',
    mark: brandMark('links'),
    operations,
  })
