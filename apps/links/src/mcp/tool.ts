import { parseBody } from '@latchkey/http/validation'
import { z } from 'zod'
import { rangeInWords } from '../time/ranges.ts'
import { Range } from '../time/schema.ts'
import type { Context } from '../api/context.ts'
import { literalTexts } from '../api/failures.ts'
import { LinkId, MAX_ID } from '../api/fields.ts'
import { normalizeArguments } from './arguments.ts'

/**
 * Effect of a call: none, a new thing each time, the same state after any number of calls, or a
 * deletion.
 */
export type Effect = 'read' | 'add' | 'set' | 'remove'

export interface ImageContent {
  type: 'image'
  data: string
  mimeType: string
}

/** A tool as assistants see it. */
export interface Tool {
  name: string
  title: string
  description: string
  effect: Effect
  /** Strict: an unknown argument is refused, as the API refuses an unknown field. */
  input: z.ZodObject
  output: z.ZodType
  run: (context: Context, args: unknown) => Promise<unknown>
  /** Images that accompany the text of a result. */
  images?: (result: unknown) => ImageContent[]
}

type Shape = z.core.$ZodLooseShape

interface Declaration<Input extends Shape, Output extends z.ZodType> extends Omit<Tool, 'input' | 'run'> {
  input: Input
  output: Output
  run: (context: Context, args: z.output<z.ZodObject<Input>>) => Promise<z.input<Output>>
}

/** Declares a tool. Its arguments are parsed before it runs, with the messages of the API. */
export function tool<Input extends Shape, Output extends z.ZodType>({
  input,
  run,
  ...rest
}: Declaration<Input, Output>): Tool {
  const schema = z.object(input)
  return {
    ...rest,
    input: schema,
    run: (context, args) => run(context, parseBody(schema, normalizeArguments(schema, args), literalTexts)),
  }
}

/** Limit of list results (L19.4). */
export const MAX_ITEMS = 1000

const TruncationFields = {
  truncated: z.literal(true).optional().meta({ description: 'True if the list is not complete.' }),
  total: z.int().optional().meta({ description: 'The total number of entries; only if truncated.' }),
}

/** Items of a list, and their total number. */
export interface ItemPage<Item> {
  items: readonly Item[]
  total: number
}

/** Returns up to `limit` results. If there are more, adds their total number. */
export function truncateList<Item>({ items, total }: ItemPage<Item>, limit = MAX_ITEMS) {
  const results = items.slice(0, limit)
  return { results, ...(total > results.length ? { truncated: true as const, total } : {}) }
}

/** Shape of `results` with the fields that mark a truncated list. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return { results: z.array(item), ...TruncationFields }
}

/** Shape of a list without a range: an array of items, or an object if the list is truncated. */
export function plainListOf<Item extends z.ZodType>(item: Item) {
  return z.union([z.array(item), z.object(listOf(item))])
}

export function plainList<Item>(page: ItemPage<Item>) {
  const list = truncateList(page)
  return list.truncated ? list : list.results
}

const RangeArgument = z
  .enum(Range.options)
  .optional()
  .meta({ description: 'The range that clicks are counted for, ending now; your default range if omitted.' })

const RangeFields = {
  range_used: z.enum(Range.options),
  range_label: z.string(),
  range_note: z.string().meta({ description: 'The clicks that are counted.' }),
}

interface RangedDeclaration<Input extends Shape> extends Omit<Tool, 'input' | 'run' | 'effect' | 'output'> {
  input?: Input
  /** Fields of the result, after those of the range. */
  output: Shape
  run: (
    context: Context,
    args: z.output<z.ZodObject<Input>>,
    range: Range,
  ) => Promise<Readonly<Record<string, unknown>>>
}

/**
 * Declares a reading tool with statistics for a range: the requested one, or the caller's default.
 */
export function rangedTool<Input extends Shape>({
  input,
  output,
  run,
  ...rest
}: RangedDeclaration<Input>): Tool {
  return tool({
    ...rest,
    effect: 'read',
    input: { ...input, range: RangeArgument },
    output: z.object({ ...RangeFields, ...output }),
    async run(context, args) {
      const { range: requested, ...others } = args as { range?: Range }
      const range = requested ?? context.defaultRange
      const note = describeRange(context, range, requested === undefined)
      const result = await run(context, others as z.output<z.ZodObject<Input>>, range)
      return { range_used: range, range_label: labelOf(range), range_note: note, ...result }
    },
  })
}

const labelOf = (range: Range) => rangeInWords(range, 'en', 'all time')

function describeRange({ filters }: Context, range: Range, byDefault: boolean): string {
  const label = labelOf(range)
  const time = range === 'all' ? label : `the last ${label}`
  const exclusions = [filters.bots ? 'bots' : '', filters.selfReferrers ? 'self-referrers' : ''].filter(
    Boolean,
  )
  return [
    `Clicks of ${time} are counted`,
    byDefault ? ', the default range of your settings' : '',
    exclusions.length > 0 ? `, without those of ${exclusions.join(' and ')}` : '',
    '.',
  ].join('')
}

export { LinkId }
export const BundleId = z.int().min(1).max(MAX_ID).meta({ description: 'The `id` of a bundle.' })
