import type { S3Location } from '@latchkey/rooms/files/storage/location'
import { declarations as rooms } from '@latchkey/rooms/settings/declarations'
import { httpUrl, text } from '@latchkey/settings/kinds'
import { type Declarations, type Environment, parseSettings } from '@latchkey/settings/settings'
import { CommandFailure } from '../../command.ts'

/** The settings of storage for backups, which only commands read. */
export const backupSettings = {
  endpoint: {
    name: 'BACKUP_S3_ENDPOINT',
    kind: httpUrl(),
    whenUnset: 'unset: AWS',
    sentence: 'URL of the S3-compatible storage for backups',
    example: 'https://s3.internal:9000',
  },
  region: {
    name: 'BACKUP_S3_REGION',
    kind: text(),
    default: 'us-east-1',
    sentence: 'Region of that storage',
    example: 'eu-north-1',
  },
  accessKeyId: {
    name: 'BACKUP_S3_ACCESS_KEY_ID',
    kind: text(),
    whenUnset: 'that of Rooms',
    sentence: 'Access key for that storage; without it, the storage of Rooms applies',
    example: 'backup',
    secret: true,
  },
  secretAccessKey: {
    name: 'BACKUP_S3_SECRET_ACCESS_KEY',
    kind: text(),
    whenUnset: 'required with the access key',
    sentence: 'Secret of that access key',
    example: 'output-of-openssl-rand-hex-24',
    secret: true,
  },
} satisfies Declarations

const storageOfRooms = {
  endpoint: rooms.s3Endpoint,
  region: rooms.s3Region,
  accessKeyId: rooms.s3AccessKeyId,
  secretAccessKey: rooms.s3SecretAccessKey,
}

/** An object in a bucket. */
export interface S3Object extends Omit<S3Location, 'prefix'> {
  readonly key: string
}

/** The object at `s3://BUCKET/KEY`. Undefined for the path of a file. Throws `CommandFailure`. */
export function findS3Object(address: string, env: Environment): S3Object | undefined {
  if (!address.startsWith('s3://')) return undefined
  const [, bucket, key] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/(\w[\w.-]*(?:\/\w[\w.-]*)*)$/.exec(address) ?? []
  if (bucket === undefined || key === undefined)
    throw new CommandFailure('An address in S3 is s3://BUCKET/NAME, where the name may have folders')
  const own = parseSettings(backupSettings, env)
  const values = own.accessKeyId === null ? parseSettings(storageOfRooms, env) : own
  const { endpoint, region, accessKeyId, secretAccessKey } = values
  if (accessKeyId === null || secretAccessKey === null)
    throw new CommandFailure(
      `Set ${backupSettings.accessKeyId.name} and ${backupSettings.secretAccessKey.name} for ${address}`,
    )
  return { bucket, key, endpoint, region, accessKeyId, secretAccessKey }
}
