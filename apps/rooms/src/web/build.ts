import { join } from 'node:path'
import { brandMark } from '@latchkey/web/brand'
import { type OperationTable, bundleClient, operationTable } from '@latchkey/web/build'
import { apiOperations } from '../operations.ts'

export const operations: OperationTable = operationTable(apiOperations)

const [, , folder] = Bun.argv
if (import.meta.main && folder !== undefined)
  await bundleClient(folder, {
    main: join(import.meta.dirname, 'main.tsx'),
    assets: '/assets/',
    title: 'Latchkey Rooms',
    mark: brandMark('rooms'),
    operations,
    workers: { highlight: join(import.meta.dirname, 'markdown/highlight-worker.ts') },
  })
