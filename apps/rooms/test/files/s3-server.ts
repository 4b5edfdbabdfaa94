import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@latchkey/http/free-port'
import type { S3Location } from '../../src/files/storage/location.ts'
import { until } from '../until.ts'

/** Path of `versitygw`, a server for S3. Null if it is not installed. */
export const s3Program = Bun.which('versitygw')

export interface S3Server {
  location: S3Location
  /** Settings of Rooms for this location. */
  settings: Record<string, string>
  /** The bucket, as a folder of this machine. */
  folder: string
  start(): Promise<void>
  kill(): Promise<void>
  /** Also deletes its data. */
  close(): Promise<void>
}

const [ACCESS_KEY, SECRET] = ['test-access', 'test-secret-of-the-storage'] as const

/** A server for S3 with one bucket. */
export async function s3Server(prefix = 'rooms/'): Promise<S3Server> {
  const root = mkdtempSync(join(tmpdir(), 'latchkey-s3-'))
  const folder = join(root, 'buckets', 'files')
  mkdirSync(folder, { recursive: true })
  const port = await freePort()
  const endpoint = `http://127.0.0.1:${port}`
  let child: Bun.Subprocess | undefined
  const server: S3Server = {
    folder,
    location: {
      bucket: 'files',
      prefix,
      endpoint,
      region: 'us-east-1',
      accessKeyId: ACCESS_KEY,
      secretAccessKey: SECRET,
    },
    settings: {
      ROOMS_FILES: `s3://files/${prefix}`,
      ROOMS_S3_ENDPOINT: endpoint,
      ROOMS_S3_ACCESS_KEY_ID: ACCESS_KEY,
      ROOMS_S3_SECRET_ACCESS_KEY: SECRET,
    },
    async start() {
      const args = ['--access', ACCESS_KEY, '--secret', SECRET, '--port', `127.0.0.1:${port}`, '--quiet']
      child = Bun.spawn([s3Program ?? '', ...args, 'posix', join(root, 'buckets')], {
        stdout: 'ignore',
        stderr: 'ignore',
      })
      await until(() =>
        fetch(endpoint).then(
          () => true,
          () => false,
        ),
      )
    },
    async kill() {
      child?.kill('SIGKILL')
      await child?.exited
    },
    async close() {
      await server.kill()
      rmSync(root, { recursive: true, force: true })
    },
  }
  await server.start()
  return server
}
