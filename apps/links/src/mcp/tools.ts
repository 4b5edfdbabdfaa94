import type { Tool as ListedTool, ToolAnnotations } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { bundleTools } from './bundle-tools.ts'
import { figureTools } from './figure-tools.ts'
import { linkTools } from './link-tools.ts'
import { otherTools } from './other-tools.ts'
import type { Effect, Tool } from './tool.ts'

/** Everything that assistants can do here, by name (L19). */
export const tools: ReadonlyMap<string, Tool> = new Map(
  [...otherTools, ...linkTools, ...figureTools, ...bundleTools].map((tool) => [tool.name, tool]),
)

const hints: Record<Effect, Required<Omit<ToolAnnotations, 'title'>>> = {
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  add: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  set: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  remove: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
}

type JsonSchema = ListedTool['inputSchema']

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    override({ jsonSchema: part }) {
      // Integers are safe ones anyway, and later versions may answer with more fields.
      if (part.minimum === Number.MIN_SAFE_INTEGER) delete part.minimum
      if (part.maximum === Number.MAX_SAFE_INTEGER) delete part.maximum
      if (io === 'output') delete part.additionalProperties
      // Assistants see what the person they speak for wants to see, other than the public API (L14.3).
      if (part.description) part.description = part.description.replace(/^Raw clicks/, 'Clicks')
    },
  })
  return (io === 'input' ? { ...json, additionalProperties: false } : resolved(json)) as JsonSchema
}

/** A schema that has a name is a reference to it, which older clients would not take for an object. */
function resolved(json: z.core.JSONSchema.BaseSchema): z.core.JSONSchema.BaseSchema {
  const { $ref, ...rest } = json
  const named = rest.$defs?.[$ref?.replace('#/$defs/', '') ?? '']
  return typeof named === 'object' ? { ...named, ...rest } : json
}

const outputSchemas = new Map<Tool, JsonSchema>()

/** What the tool's structured result looks like. Made when it is first asked for: all of them would take a third of a start. */
export function outputSchemaOf(tool: Tool): JsonSchema {
  const schema = outputSchemas.get(tool) ?? jsonSchema(tool.output, 'output')
  outputSchemas.set(tool, schema)
  return schema
}

let listed: readonly ListedTool[] | undefined

/** The tools as clients list them; the same for everyone. */
export function listTools(): readonly ListedTool[] {
  listed ??= [...tools.values()].map((tool) => {
    const { name, title, description, effect, input } = tool
    return {
      name,
      title,
      description,
      inputSchema: jsonSchema(input, 'input'),
      outputSchema: outputSchemaOf(tool),
      annotations: { title, ...hints[effect] },
    }
  })
  return listed
}
