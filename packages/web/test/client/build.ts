import { join } from 'node:path'
import { brandMark } from '@latchkey/web/brand'
import { bundleClient, operationTable } from '@latchkey/web/build'
import { things } from './things.ts'

const [, , folder] = Bun.argv
if (import.meta.main && folder !== undefined)
  await bundleClient(folder, {
    main: join(import.meta.dirname, 'main.tsx'),
    assets: '/assets/',
    title: 'Things',
    mark: brandMark('rooms'),
    operations: operationTable(things),
  })
