import type { Tool as ListedTool, ToolAnnotations } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { behaviourTools } from './behaviour-tools.ts'
import { bundleTools } from './bundle-tools.ts'
import { eventTools } from './event-tools.ts'
import { legacyTools } from './legacy-tools.ts'
import { statsTools } from './stats-tools.ts'
import { linkTools } from './link-tools.ts'
import { otherTools } from './other-tools.ts'
import { planTools } from './plan-tools.ts'
import type { Effect, Tool } from './tool.ts'

/** All tools by name (L19). */
export const tools: ReadonlyMap<string, Tool> = new Map(
  [
    ...otherTools,
    ...linkTools,
    ...behaviourTools,
    ...statsTools,
    ...bundleTools,
    ...planTools,
    ...eventTools,
    ...legacyTools,
  ].map((tool) => [tool.name, tool]),
)

const annotationsByEffect: Record<Effect, Required<Omit<ToolAnnotations, 'title'>>> = {
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  add: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  set: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  remove: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
}

type JsonSchema = ListedTool['inputSchema']

const MAX_PATTERN_LENGTH = 100

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    override({ jsonSchema: part }) {
      // Integers are safe integers anyway, and later versions may add fields to their results.
      if (part.minimum === Number.MIN_SAFE_INTEGER) delete part.minimum
      if (part.maximum === Number.MAX_SAFE_INTEGER) delete part.maximum
      if (io === 'output') delete part.additionalProperties
      // The list of countries and the grammar of hosts would only fill the context of an assistant.
      if (part.pattern && part.pattern.length > MAX_PATTERN_LENGTH) delete part.pattern
      // Assistants see the clicks that their person chose to see, unlike the public API (L14.3).
      if (part.description) part.description = part.description.replace(/^Raw clicks/, 'Clicks')
    },
  })
  return (io === 'input' ? { ...json, additionalProperties: false } : resolveReference(json)) as JsonSchema
}

/** Inlines the reference of a named schema, which older clients do not accept as an object. */
function resolveReference(json: z.core.JSONSchema.BaseSchema): z.core.JSONSchema.BaseSchema {
  const { $ref, ...rest } = json
  const definition = rest.$defs?.[$ref?.replace('#/$defs/', '') ?? '']
  return typeof definition === 'object' ? { ...definition, ...rest } : json
}

const outputSchemas = new Map<Tool, JsonSchema>()

/**
 * Returns the JSON schema of the tool's structured result. Created on first use: all of them would
 * take a third of a start.
 */
export function outputSchemaOf(tool: Tool): JsonSchema {
  const schema = outputSchemas.get(tool) ?? jsonSchema(tool.output, 'output')
  outputSchemas.set(tool, schema)
  return schema
}

let toolList: readonly ListedTool[] | undefined

/** Returns the list of tools for clients. It is the same for everyone. */
export function listTools(): readonly ListedTool[] {
  toolList ??= [...tools.values()].map((tool) => {
    const { name, title, description, effect, input } = tool
    return {
      name,
      title,
      description,
      inputSchema: jsonSchema(input, 'input'),
      outputSchema: outputSchemaOf(tool),
      annotations: { title, ...annotationsByEffect[effect] },
    }
  })
  return toolList
}
