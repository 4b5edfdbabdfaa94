import type { Api, Group, Operation } from './api.ts'
import { pascal, snake, walkerOf } from './names.ts'
import type { Alias, Field, Model, Type } from './types.ts'

/** Maximum length of a line, the same as in the settings of `ruff format`. */
const WIDTH = 100

const NOTICE =
  '"""Made from the OpenAPI document by `npm run sdks`; changes made here are lost."""\n\nfrom __future__ import annotations\n'

/** Names that every method already uses. */
const RESERVED = new Set(['self', 'timeout', 'max_retries'])

/** Keywords that may be the name of a member. As PEP 8 has it, they get an underscore. */
const KEYWORDS = new Set(['as', 'class', 'from', 'global', 'import', 'in', 'is', 'lambda'])

/** The generated files of the Python SDK by name, as `ruff format` would leave them. */
export function renderPython(api: Api): Map<string, string> {
  const files = new Map<string, string>()
  files.set('__init__.py', `${NOTICE.split('\n')[0]}\n`)
  files.set('document.py', documentFile(api))
  files.set('models.py', modelsFile(api))
  files.set('client.py', clientFile(api))
  for (const group of api.groups) files.set(`${group.name}.py`, groupFile(group, api))
  return files
}

function documentFile(api: Api): string {
  return `${NOTICE}
API_VERSION = "${api.version}"
"""The version of the API that this client was made for."""
DOCUMENT_SHA256 = "${api.sha256}"
"""SHA-256 of the OpenAPI document that this client was made from, as \`/_/api/openapi.json\` serves it."""
`
}

function modelsFile(api: Api): string {
  const names = [...api.aliases, ...modelsOf(api)].map(({ name }) => name).toSorted()
  const data = new Set(api.data.map(({ name }) => name))
  return [
    `${NOTICE}
from dataclasses import dataclass
from typing import Any, Literal${data.size > 0 ? ', TypedDict' : ''}

from .._call import many, maybe

__all__ = [
${names.map((name) => `    "${name}",`).join('\n')}
]
`,
    ...api.aliases.map(aliasOf),
    ...modelsOf(api).map((model) => `\n${data.has(model.name) ? dictionaryOf(model) : classOf(model)}`),
  ].join('\n')
}

/** The models of answers, and the models inside of requests. The fields of a request are arguments. */
function modelsOf({ outputs, data }: Api): Model[] {
  return [...outputs, ...data.filter((model) => !outputs.includes(model))]
}

function aliasOf({ name, type, notes }: Alias): string {
  return `${wrapLiterals(`${name} = ${typeOf(type)}`)}\n${notes.length > 0 ? `"""${quote(notes.join(' '))}"""\n` : ''}`
}

/** A dictionary as in JSON. Unlike a class, it can have members of any name. */
function dictionaryOf({ name, fields }: Model): string {
  const members = fields.map(
    ({ name: member, type }) => `        "${member}": "${typeOf(type).replaceAll('"', "'")}",`,
  )
  return `${name} = TypedDict(
    "${name}",
    {
${members.join('\n')}
    },
    total=False,
)
`
}

function classOf({ name, fields }: Model): string {
  const members = fields.map((field) => {
    const type = field.required ? typeOf(field.type) : `${typeOf(field.type)} | None = None`
    const note = field.notes.length > 0 ? `\n    """${quote(field.notes.join(' '))}"""` : ''
    return wrapLiterals(`    ${nameOf(field)}: ${type}`) + note
  })
  const read = fields.map((field) => wrapCall(`            ${nameOf(field)}=${decode(field)},`))
  return `@dataclass(frozen=True, slots=True, kw_only=True)
class ${name}:
${members.join('\n')}

    @classmethod
    def from_json(cls, data: Any) -> ${name}:
        return cls(
${read.join('\n')}
        )
`
}

/** A name with its type; the values of a long one in a line of their own, or one per line. */
function wrapLiterals(line: string): string {
  const values = line.length > WIDTH ? /^(( *)\w+(?::| =) Literal\[)(.*)\]$/.exec(line) : null
  if (!values) return line
  const [, start, indent = '', list = ''] = values
  const inner = `${indent}    ${list}`
  const lines = inner.length <= WIDTH ? inner : `${inner.replaceAll(', ', `,\n${indent}    `)},`
  return `${start}\n${lines}\n${indent}]`
}

/** A keyword argument; the arguments of a long call in a line of their own. */
function wrapCall(line: string): string {
  const [, start, list] = (line.length > WIDTH && /^( {12}\w+=\w+\()(.*)\),$/.exec(line)) || []
  return start === undefined ? line : `${start}\n                ${list}\n            ),`
}

/** Code that reads a member from an answer. Unknown fields are ignored. */
function decode({ name, type, required }: Field): string {
  const value = required ? `data["${name}"]` : `data.get("${name}")`
  if (type.kind === 'model')
    return required ? `${type.name}.from_json(${value})` : `maybe(${value}, ${type.name}.from_json)`
  if (type.kind === 'list' && type.of.kind === 'model')
    return required
      ? `many(${value}, ${type.of.name}.from_json)`
      : `maybe(${value}, lambda items: many(items, ${type.of.name}.from_json))`
  if (mentionsModel(type)) throw new Error(`${name}: Python does not know how to read it`)
  return value
}

function mentionsModel(type: Type): boolean {
  if (type.kind === 'list') return mentionsModel(type.of)
  if (type.kind === 'union') return type.of.some(mentionsModel)
  return type.kind === 'model'
}

function clientFile({ groups }: Api): string {
  const imports = groups.map(({ name }) => `from .${name} import Async${pascal(name)}, ${pascal(name)}\n`)
  return `${NOTICE}
from types import TracebackType

import httpx

from .._transport import AsyncTransport, Options, Transport
${imports.toSorted().join('')}

${clientClass(
  groups,
  false,
  `A client of one Latchkey Links service.

    \`timeout\` is in seconds, for connecting and for each wait for data. Calls that get 429 or 503
    are repeated up to \`max_retries\` times, where that is safe. An \`http_client\` that is given is
    not closed.
    `,
)}

${clientClass(groups, true, 'The same with asyncio; cancelling the task ends the call, waiting included.')}`
}

function clientClass(groups: Api['groups'], isAsync: boolean, purpose: string): string {
  const prefix = isAsync ? 'Async' : ''
  const [define, a, wait] = isAsync ? ['async def', 'a', 'await '] : ['def', '', '']
  const assignments = groups.map(
    ({ name }) => `self.${name}: ${prefix}${pascal(name)} = ${prefix}${pascal(name)}(self._transport)`,
  )
  const transportArguments = 'Options(base_url, api_key, timeout, max_retries), http_client'
  return `class ${prefix}LinksClient:
    """${purpose}"""

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str,
        timeout: float = 30.0,
        max_retries: int = 2,
        http_client: httpx.${prefix}Client | None = None,
    ) -> None:
        self._transport = ${prefix}Transport(${isAsync ? `\n            ${transportArguments}\n        ` : transportArguments})
        ${assignments.join('\n        ')}

    ${define} close(self) -> None:
        ${wait}self._transport.close()

    ${define} __${a}enter__(self) -> ${prefix}LinksClient:
        return self

    ${define} __${a}exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        ${wait}self.close()
`
}

function groupFile(group: Group, api: Api): string {
  const classes = [false, true].map((isAsync) => groupClass(group, isAsync)).join('\n\n')
  // Documentation strings name models that the code does not use.
  const code = classes.replaceAll(/"""[\s\S]*?"""/g, '')
  const models = [...modelsOf(api), ...api.aliases].map(({ name }) => name).toSorted()
  /** Imports those of the names that the classes use. */
  const imports = (from: string, ...names: readonly string[]) =>
    importOf(
      from,
      names.filter((name) => new RegExp(`\\b${name}\\b`).test(code)),
    )
  const walkers = ['walk_by_cursor', 'walk_by_cursor_async', 'walk_by_offset', 'walk_by_offset_async']
  const standard = [
    classes.includes('builtins.') ? 'import builtins\n' : '',
    imports('collections.abc', 'AsyncIterator', 'Iterator'),
    imports('typing', 'Any', 'Literal'),
  ].join('')
  const own = [
    imports('.._call', 'OMITTED', 'Call', 'File', 'Omitted', 'many', 'segment'),
    imports('.._paging', 'Page', ...walkers),
    imports('.._transport', 'AsyncTransport', 'Transport'),
    imports('.models', ...models),
  ].join('')
  return `${[NOTICE, standard, own].filter((part) => part !== '').join('\n')}\n\n${classes}`
}

/** One name per line if they do not fit into one. */
function importOf(from: string, names: readonly string[]): string {
  if (names.length === 0) return ''
  const line = `from ${from} import ${names.join(', ')}\n`
  if (line.length <= WIDTH) return line
  return `from ${from} import (\n${names.map((name) => `    ${name},\n`).join('')})\n`
}

function groupClass(group: Group, isAsync: boolean): string {
  const prefix = isAsync ? 'Async' : ''
  // A method called `list` hides the type inside its class.
  const list = group.operations.some(({ name }) => name === 'list') ? 'builtins.list' : 'list'
  const methods = group.operations.flatMap((operation) => [
    method(operation, isAsync, list),
    ...(operation.paging ? [walker(operation, isAsync, list)] : []),
  ])
  return `class ${prefix}${pascal(group.name)}:
    """\`client.${group.name}\`."""

    def __init__(self, transport: ${prefix}Transport) -> None:
        self._transport = transport

${methods.join('\n')}`
}

function method(operation: Operation, isAsync: boolean, list: string): string {
  const { paging, result } = operation
  const [send, returnType, parse] =
    paging?.by === 'cursor'
      ? ['page', `Page[${typeOf(paging.item)}]`, parserOf(paging.item)]
      : result
        ? ['json', typeOf(result, list), parserOf(result)]
        : ['file', 'File', undefined]
  return `    ${isAsync ? 'async ' : ''}def ${snake(operation.name)}(
        self,
${signature(operation, list)}
    ) -> ${returnType}:
${docstring(operation)}
        return ${isAsync ? 'await ' : ''}self._transport.${send}(
            Call(
                "${operation.method}",
                ${pathOf(operation)},${callFields(operation)}
                timeout=timeout,
                max_retries=max_retries,
            ),${parse === undefined ? '' : `\n            ${parse},`}
        )
`
}

/** A generator of the items of all pages. */
function walker(operation: Operation, isAsync: boolean, list: string): string {
  const key = operation.paging?.by === 'cursor' ? 'cursor' : 'offset'
  const name = snake(walkerOf(operation.name))
  const item = typeOf(operation.paging?.item ?? { kind: 'null' }, list)
  const passedArguments = [
    ...operation.params.map((param) => `                ${nameOf(param)},`),
    ...fieldsOf(operation).map((field) => {
      const value = field.name === key ? `page_${key}` : nameOf(field)
      return `                ${nameOf(field)}=${value},`
    }),
  ]
  return `    def ${name}(
        self,
${signature(operation, list)}
    ) -> ${isAsync ? 'AsyncIterator' : 'Iterator'}[${item}]:
        """Like \`${snake(operation.name)}\`, but item by item through all pages."""
        return walk_by_${key}${isAsync ? '_async' : ''}(
            lambda page_${key}: self.${snake(operation.name)}(
${passedArguments.join('\n')}
                timeout=timeout,
                max_retries=max_retries,
            ),
            ${key},
        )
`
}

/** The keyword parameters. Throws if two parameters of an operation would have the same name. */
function fieldsOf({ id, params, body, query }: Operation): readonly Field[] {
  const fields = [...(body?.fields ?? []), ...(query?.fields ?? [])]
  const names = [...params, ...fields].map((field) => nameOf(field))
  if (new Set(names).size !== names.length) throw new Error(`${id} has two parameters of one name`)
  return fields
}

/** Parts of the path by position, the rest by keyword. */
function signature(operation: Operation, list: string): string {
  const { params, body, query } = operation
  return [
    ...params.map((param) => `${nameOf(param)}: ${typeOf(param.type, list)},`),
    '*,',
    ...(body?.fields ?? []).map((field) => argument(field, 'Omitted', list)),
    ...(query?.fields ?? []).map((field) => argument(field, 'None', list)),
    'timeout: float | None = None,',
    'max_retries: int | None = None,',
  ]
    .map((line) => explodedLiteral(`        ${line}`))
    .join('\n')
}

/** One value per line if they do not fit into one. */
function explodedLiteral(line: string): string {
  if (line.length <= WIDTH) return line
  return line.replace(/Literal\[(.*?)\]/, (_, values: string) => {
    const lines = values.split(', ').map((value) => `            ${value},`)
    return `Literal[\n${lines.join('\n')}\n        ]`
  })
}

function argument(field: Field, absent: 'Omitted' | 'None', list: string): string {
  const type = typeOf(field.type, list)
  const value = absent === 'None' ? 'None' : 'OMITTED'
  return field.required ? `${nameOf(field)}: ${type},` : `${nameOf(field)}: ${type} | ${absent} = ${value},`
}

function callFields({ body, query }: Operation): string {
  const dictionary = (name: string, fields: readonly Field[]) =>
    `\n                ${name}={\n${fields.map((field) => `                    "${field.name}": ${nameOf(field)},`).join('\n')}\n                },`
  return [
    ...(query ? [dictionary('query', query.fields)] : []),
    ...(body ? [dictionary('body', body.fields)] : []),
  ].join('')
}

function docstring(operation: Operation): string {
  const { summary, description } = operation
  const fieldsWithNotes = fieldsOf(operation).filter(({ notes }) => notes.length > 0)
  const args = fieldsWithNotes.map((field) => `            ${nameOf(field)}: ${quote(field.notes.join(' '))}`)
  return [
    `        """${quote(summary)}`,
    '',
    `        ${quote(description)}`,
    ...(args.length > 0 ? ['', '        Args:', ...args] : []),
    '        """',
  ].join('\n')
}

/** Escapes a text for a docstring. */
function quote(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('"""', '\\"\\"\\"')
  return escaped.endsWith('"') ? `${escaped.slice(0, -1)}\\"` : escaped
}

function pathOf({ path, params }: Operation): string {
  if (params.length === 0) return `"${path}"`
  return `f"${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `{segment(${snake(name)})}`)}"`
}

function nameOf({ name }: Field): string {
  const python = snake(name)
  if (RESERVED.has(python)) throw new Error(`${name} cannot be the name of a Python parameter`)
  return KEYWORDS.has(python) ? `${python}_` : python
}

/** The function that parses an answer. */
function parserOf(type: Type): string {
  if (type.kind === 'model') return `${type.name}.from_json`
  if (type.kind === 'list' && type.of.kind === 'model')
    return `lambda data: many(data, ${type.of.name}.from_json)`
  throw new Error('Python does not know how to read an answer that is neither an object nor a list of them')
}

const SCALARS = { string: 'str', integer: 'int', number: 'float', boolean: 'bool', null: 'None' } as const

function typeOf(type: Type, list = 'list'): string {
  switch (type.kind) {
    case 'json':
      return 'dict[str, Any]'
    case 'literals':
      return `Literal[${type.values.map(literal).join(', ')}]`
    case 'model':
    case 'data':
    case 'alias':
      return type.name
    case 'list':
      return `${list}[${typeOf(type.of, list)}]`
    case 'union':
      return type.of.map((each) => typeOf(each, list)).join(' | ')
    default:
      return SCALARS[type.kind]
  }
}

function literal(value: string | number | boolean): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return JSON.stringify(value)
}
