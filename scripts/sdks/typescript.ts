import type { Api, Group, Operation } from './api.ts'
import { camel, pascal, walkerOf } from './names.ts'
import type { Field, Model, Type } from './types.ts'

const NOTICE = '// Made from the OpenAPI document by `npm run sdks`; changes made here are lost.\n'

/** The generated files of the TypeScript SDK by name. */
export function renderTypescript(api: Api): Map<string, string> {
  const files = new Map<string, string>()
  files.set('document.ts', documentFile(api))
  files.set('models.ts', modelsFile(api))
  files.set('client.ts', clientFile(api))
  for (const group of api.groups) files.set(`${group.name}.ts`, groupFile(group, api))
  return files
}

function documentFile(api: Api): string {
  return `${NOTICE}
/** The version of the API that this client was made for. */
export const API_VERSION = '${api.version}'
/** SHA-256 of the OpenAPI document that this client was made from, as \`/_/api/openapi.json\` serves it. */
export const DOCUMENT_SHA256 = '${api.sha256}'
`
}

function modelsFile(api: Api): string {
  const aliases = api.aliases.map(
    ({ name, type, notes }) => `${comment(notes)}export type ${name} = ${typeOf(type)}\n`,
  )
  const models = [...api.inputs, ...api.outputs].map((model) => interfaceOf(model, api))
  return [NOTICE, ...aliases, ...models].join('\n')
}

function interfaceOf({ name, fields }: Model, api: Api): string {
  // Senders may set an absent field to undefined; receivers never see undefined.
  const sent = api.inputs.some((input) => input.name === name)
  const lines = fields.map((field) => {
    const mark = field.required ? '' : '?'
    const orNothing = sent && !field.required ? ' | undefined' : ''
    return `${comment(field.notes)}${field.name}${mark}: ${typeOf(field.type)}${orNothing}`
  })
  return `export interface ${name} {\n${lines.join('\n')}\n}\n`
}

function clientFile(api: Api): string {
  const imports = api.groups.map(({ name }) => `import { ${pascal(name)} } from './${name}.js'`)
  const fields = api.groups.map(({ name }) => `readonly ${name}: ${pascal(name)}`)
  const assignments = api.groups.map(({ name }) => `this.${name} = new ${pascal(name)}(transport)`)
  return `${NOTICE}
import { type ClientOptions, Transport } from '../transport.js'
${imports.join('\n')}

/**
 * A client of one Latchkey Links service.
 *
 * \`\`\`ts
 * const client = new LinksClient({ baseUrl: 'https://go.example.com', apiKey: 'sk_…' })
 * const link = await client.links.create({ url: 'https://example.com/' })
 * \`\`\`
 */
export class LinksClient {
  ${fields.join('\n')}

  /** Throws a TypeError where the address or the key cannot be one. */
  constructor(options: ClientOptions) {
    const transport = new Transport(options)
    ${assignments.join('\n')}
  }
}
`
}

function groupFile({ name, operations }: Group, api: Api): string {
  const methods = operations.flatMap((operation) => methodsOf(operation)).join('\n')
  const models = [...api.inputs, ...api.outputs, ...api.aliases].map((each) => each.name)
  const used = models.filter((model) => new RegExp(`\\b${model}\\b`).test(methods)).toSorted()
  const walkers = ['walkByCursor', 'walkByOffset'].filter((walk) => methods.includes(walk))
  const pages = /\bPage</.test(methods) ? ['type Page'] : []
  const paging = [...pages, ...walkers]
  const segment = methods.includes('segment(') ? ', segment' : ''
  const usesOptions = 'type RequestOptions, type Transport'
  return `${NOTICE}
${paging.length > 0 ? `import { ${paging.join(', ')} } from '../paging.js'` : ''}
import { ${usesOptions}${segment} } from '../transport.js'
import type { ${used.join(', ')} } from './models.js'

/** \`client.${name}\` */
export class ${pascal(name)} {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  ${methods}
}
`
}

function methodsOf(operation: Operation): string[] {
  const { paging, summary, description } = operation
  const fields = [`method: '${operation.method}'`, `path: ${pathOf(operation)}`]
  const argumentNames = [
    ...(operation.query ? ['query'] : []),
    ...(operation.body ? ['body'] : []),
    'options',
  ]
  const call = `{ ${[...fields, ...argumentNames].join(', ')} }`
  const page = paging?.by === 'cursor'
  const result = page ? `Page<${typeOf(paging.item)}>` : operation.result ? typeOf(operation.result) : 'Blob'
  const send = page
    ? `page<${typeOf(paging.item)}>`
    : operation.result
      ? `json<${typeOf(operation.result)}>`
      : 'file'
  const one = `${comment([summary, description])}${operation.name}(${parameters(operation)}): Promise<${result}> {
    return this.#transport.${send}(${call})
  }
`
  return paging ? [one, walker(operation, typeOf(paging.item))] : [one]
}

/** A generator of the items of all pages. */
function walker(operation: Operation, item: string): string {
  const key = operation.paging?.by === 'cursor' ? 'cursor' : 'offset'
  const first = key === 'cursor' ? 'query.cursor' : 'query.offset ?? 0'
  const args = [...operation.params.map(argument), `{ ...query, ${key} }`, 'options'].join(', ')
  return `${comment([`Like \`${operation.name}\`, but item by item through all pages.`])}${walkerOf(operation.name)}(${parameters(operation)}): AsyncGenerator<${item}, void, undefined> {
    return walkBy${pascal(key)}((${key}) => this.${operation.name}(${args}), ${first})
  }
`
}

function parameters({ params, body, query }: Operation): string {
  const optional = query?.fields.every((field) => !field.required)
  return [
    ...params.map((param) => `${argument(param)}: ${typeOf(param.type)}`),
    ...(body ? [`body: ${body.name}`] : []),
    ...(query ? [`query: ${query.name}${optional ? ' = {}' : ''}`] : []),
    'options?: RequestOptions',
  ].join(', ')
}

function argument({ name }: Field): string {
  return camel(name)
}

function pathOf({ path, params }: Operation): string {
  if (params.length === 0) return `'${path}'`
  return `\`${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `\${segment(${camel(name)})}`)}\``
}

function typeOf(type: Type): string {
  switch (type.kind) {
    case 'integer':
      return 'number'
    case 'json':
      return 'Record<string, unknown>'
    case 'literals':
      return type.values.map((value) => JSON.stringify(value).replaceAll('"', "'")).join(' | ')
    case 'model':
    case 'data':
    case 'alias':
      return type.name
    case 'list':
      return type.of.kind === 'union' || type.of.kind === 'literals'
        ? `(${typeOf(type.of)})[]`
        : `${typeOf(type.of)}[]`
    case 'union':
      return type.of.map(typeOf).join(' | ')
    default:
      return type.kind
  }
}

function comment(lines: readonly string[]): string {
  if (lines.length === 0) return ''
  const text = lines.map((line) => line.replaceAll('*/', '* /').replaceAll('\n', '\n * '))
  return text.length === 1 ? `/** ${text[0]} */\n` : `/**\n * ${text.join('\n * ')}\n */\n`
}
