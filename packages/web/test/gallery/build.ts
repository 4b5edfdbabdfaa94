import { join } from 'node:path'
import { brandMark } from '@latchkey/web/brand'
import { bundleClient, operationTable } from '@latchkey/web/build'

const [, , folder] = Bun.argv
if (import.meta.main && folder !== undefined)
  await bundleClient(folder, {
    main: join(import.meta.dirname, 'main.tsx'),
    assets: '/assets/',
    title: 'Gallery',
    mark: brandMark('links'),
    operations: operationTable([]),
  })
