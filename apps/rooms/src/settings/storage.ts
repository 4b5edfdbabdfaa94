import { type Environment, type Rule, type Values, parseSettings } from '@latchkey/settings/settings'
import type { FileLocation } from '../files/storage/location.ts'
import { declarations } from './declarations.ts'

const storageDeclarations = {
  databaseUrl: declarations.databaseUrl,
  files: declarations.files,
  s3Endpoint: declarations.s3Endpoint,
  s3Region: declarations.s3Region,
  s3AccessKeyId: declarations.s3AccessKeyId,
  s3SecretAccessKey: declarations.s3SecretAccessKey,
}

type StorageRule = Rule<typeof storageDeclarations>

function requiredWithS3(key: 's3AccessKeyId' | 's3SecretAccessKey'): StorageRule {
  return {
    settings: [key, 'files'],
    problem: (values) =>
      values[key] === null && 'bucket' in values.files ? 'is required with ROOMS_FILES=s3://…' : null,
  }
}

export const storageRules: readonly StorageRule[] = [
  requiredWithS3('s3AccessKeyId'),
  requiredWithS3('s3SecretAccessKey'),
]

/**
 * The settings of the database and of the storage of files, for commands that need no others. Throws
 * `SettingsError`.
 */
export function readStorageSettings(env: Environment): { databaseUrl: string; files: FileLocation } {
  const values = parseSettings(storageDeclarations, env, storageRules)
  return { databaseUrl: values.databaseUrl, files: fileLocation(values) }
}

/** Throws a `TypeError` unless the values keep `storageRules`. */
export function fileLocation({
  files,
  s3Endpoint: endpoint,
  s3Region: region,
  s3AccessKeyId: accessKeyId,
  s3SecretAccessKey: secretAccessKey,
}: Values<typeof storageDeclarations>): FileLocation {
  if ('folder' in files) return files
  if (accessKeyId === null || secretAccessKey === null) throw new TypeError('A rule is missing')
  return { ...files, endpoint, region, accessKeyId, secretAccessKey }
}
