import { pascal } from './names.ts'
import { type Schema, isJsonMap, refuseUnknown } from './schema.ts'

export type Type =
  | { kind: 'string' | 'integer' | 'number' | 'boolean' | 'null' }
  /** Any JSON values by their names. */
  | { kind: 'json' }
  | { kind: 'literals'; values: readonly (string | number | boolean)[] }
  /** `data` is a model inside of a request, which an answer may contain as well. */
  | { kind: 'model' | 'data' | 'alias'; name: string }
  | { kind: 'list'; of: Type }
  | { kind: 'union'; of: readonly Type[] }

export interface Field {
  name: string
  type: Type
  required: boolean
  /** Its meaning and its limits. */
  notes: readonly string[]
}

/** An object with a name. */
export interface Model {
  name: string
  fields: readonly Field[]
}

/** Another name for a type other than an object. */
export interface Alias {
  name: string
  type: Type
  notes: readonly string[]
}

/** Reads schemas and names every object in them. */
export class Types {
  readonly models = new Map<string, Model>()
  readonly aliases = new Map<string, Alias>()
  readonly #named: Readonly<Record<string, Schema>>
  /** The schema of each model, to detect two models with one name. */
  readonly #sources = new Map<string, Schema>()

  constructor(named: Readonly<Record<string, Schema>>) {
    this.#named = named
  }

  /** Reads a schema. An object without a name gets `name`. */
  read(schema: Schema, name: string): Type {
    refuseUnknown(schema, name)
    if (schema.$ref !== undefined) return this.#reference(schema.$ref)
    if (schema.const !== undefined) return { kind: 'literals', values: [schema.const] }
    if (schema.enum) return literals(schema.enum)
    if (schema.anyOf) return union(schema.anyOf.map((each) => this.read(each, name)))
    if (Array.isArray(schema.type))
      return union(schema.type.map((type) => this.read({ ...schema, type }, name)))
    if (schema.type === 'array' && schema.items)
      return { kind: 'list', of: this.read(schema.items, `${name}Item`) }
    if (isJsonMap(schema)) return { kind: 'json' }
    if (schema.type === 'object') return this.#object(schema, name)
    return scalar(schema.type, name)
  }

  /** One member of an object, or one parameter. */
  field(name: string, owner: string, schema: Schema, required: boolean): Field {
    return { name, required, notes: notesOf(schema), type: this.read(schema, owner + pascal(name)) }
  }

  #object(schema: Schema, name: string): Type {
    if (!Bun.deepEquals(this.#sources.get(name) ?? schema, schema))
      throw new Error(`Two objects would be called ${name}: give one a name in the document`)
    if (this.models.has(name)) return { kind: 'model', name }
    this.#sources.set(name, schema)
    const required = new Set(schema.required)
    const model = { name, fields: [] as Field[] }
    this.models.set(name, model)
    for (const [property, of] of Object.entries(schema.properties ?? {}))
      model.fields.push(this.field(property, name, of, required.has(property)))
    return { kind: 'model', name }
  }

  #reference(pointer: string): Type {
    const name = pointer.replace('#/components/schemas/', '')
    const schema = this.#named[name]
    if (!schema) throw new Error(`${pointer} leads nowhere`)
    refuseUnknown(schema, name)
    if (schema.type === 'object') return this.#object(schema, name)
    if (!this.aliases.has(name))
      this.aliases.set(name, { name, type: this.read(schema, name), notes: notesOf(schema) })
    return { kind: 'alias', name }
  }
}

/**
 * Marks the models inside of these inputs as data wherever they occur, and returns their names.
 */
export function markData(inputs: readonly Model[], all: ReadonlyMap<string, Model>): Set<string> {
  const names = new Set<string>()
  const collect = ({ fields }: Model): void => {
    for (const { name } of fields.flatMap(({ type }) => modelsIn(type)))
      if (!names.has(name)) {
        names.add(name)
        const model = all.get(name)
        if (model) collect(model)
      }
  }
  inputs.forEach(collect)
  for (const { fields } of all.values())
    for (const type of fields.flatMap((field) => modelsIn(field.type)))
      if (names.has(type.name)) type.kind = 'data'
  return names
}

function modelsIn(type: Type): { kind: 'model' | 'data' | 'alias'; name: string }[] {
  if (type.kind === 'list') return modelsIn(type.of)
  if (type.kind === 'union') return type.of.flatMap(modelsIn)
  return type.kind === 'model' ? [type] : []
}

/** Booleans are words in a query. */
function literals(values: readonly (string | number | boolean)[]): Type {
  if (values.length === 2 && values.includes('true') && values.includes('false')) return { kind: 'boolean' }
  return { kind: 'literals', values }
}

function union(of: readonly Type[]): Type {
  const values = of.flatMap((type) => (type.kind === 'literals' ? type.values : []))
  const others = of.filter((type) => type.kind !== 'literals')
  const all: Type[] = values.length > 0 ? [{ kind: 'literals', values }, ...others] : others
  return all.length === 1 && all[0] ? all[0] : { kind: 'union', of: all }
}

function scalar(type: string | undefined, context: string): Type {
  switch (type) {
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
    case 'null':
      return { kind: type }
    default:
      throw new Error(`${context}: the SDK generator does not know the type "${type}"`)
  }
}

function notesOf(schema: Schema): string[] {
  const bounds = schema.anyOf?.find((each) => each.type !== 'null') ?? schema
  const description = schema.description ?? bounds.description
  const notes = description === undefined ? [] : [description]
  const { minimum, maximum, maxLength, minItems, maxItems } = bounds
  // Limits that only keep a number in an ordinary range are useless to a reader.
  if (minimum !== undefined && maximum !== undefined && Math.abs(minimum) < 1e6 && maximum < 1e6)
    notes.push(`${minimum} to ${maximum}.`)
  if (maxLength !== undefined) notes.push(`At most ${maxLength} characters.`)
  if (minItems !== undefined) notes.push(`At least ${minItems}.`)
  if (maxItems !== undefined) notes.push(`At most ${maxItems}.`)
  if (schema.default !== undefined)
    notes.push(`\`${JSON.stringify(schema.default).replaceAll('"', '')}\` unless given.`)
  return notes
}
