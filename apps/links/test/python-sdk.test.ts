import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { onSqlite } from '@latchkey/database/testing'
import { startTestLinks } from './testing.ts'

/** A Python with `shrtnr` 1.3.0: see CONTRIBUTING.md. */
const python = process.env['LATCHKEY_TEST_PYTHON'] ?? ''

onSqlite((newUrl) => {
  test.skipIf(python === '')(
    'L6 L22.3: the published shrtnr Python SDK works unchanged, in both of its clients, method by method',
    async () => {
      const origin = 'https://go.example.com'
      const links = await startTestLinks(await newUrl(), { LINKS_BASE_URL: origin })
      const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: links.fetchHandler })
      const keys = [await links.key('ann@example.com'), await links.key('ben@example.com')]
      const script = join(import.meta.dir, 'python_sdk.py')
      const address = `http://127.0.0.1:${server.port}`
      const run = Bun.spawn([python, script, address, origin, ...keys], { stdout: 'pipe', stderr: 'pipe' })
      const [out, problems] = await Promise.all(
        [run.stdout, run.stderr].map((stream) => new Response(stream).text()),
      )
      await server.stop(true)
      expect([problems, out?.trim()]).toEqual(['', 'ok'])
    },
  )
})
