import { readFileSync } from 'node:fs'

interface Definition {
  spec: { versions: { name: string; schema: { openAPIV3Schema: Schema } }[] }
}

interface Schema {
  type?: string
  properties?: Record<string, Schema>
  items?: Schema
  additionalProperties?: boolean | Schema
}

/**
 * The JSON schema of a version of a custom resource, in which names that it does not know are wrong,
 * as `kubeconform -strict` means it.
 */
export function closedSchema(file: string, version: string): string {
  const { spec } = Bun.YAML.parse(readFileSync(file, 'utf8')) as Definition
  const schema = spec.versions.find(({ name }) => name === version)?.schema.openAPIV3Schema
  if (schema === undefined) throw new Error(`${file} has no version ${version}`)
  return JSON.stringify({ ...closed(schema), required: ['apiVersion', 'kind', 'metadata', 'spec'] })
}

function closed(schema: Schema): Schema {
  const { properties, items, ...rest } = schema
  return {
    ...rest,
    ...(items ? { items: closed(items) } : {}),
    ...(properties
      ? {
          additionalProperties: false,
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, each]) => [name, closed(each)]),
          ),
        }
      : {}),
  }
}
