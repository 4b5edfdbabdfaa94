import { expect, test } from 'bun:test'
import { z } from 'zod'
import { normalizeArguments } from './arguments.ts'
import { listTools, tools } from './tools.ts'

const parse = (schema: z.ZodObject, args: unknown) =>
  schema.strict().safeParse(normalizeArguments(schema, args)).data

/** Each argument of each tool, as the only one. */
const fields = [...tools.values()].flatMap(({ name: tool, input }) =>
  Object.entries(input.shape).map(([name, field]) => ({
    tool,
    name,
    schema: z.object({ [name]: field }),
    json: listTools().find((each) => each.name === tool)?.inputSchema.properties?.[name] as
      | { type?: string }
      | undefined,
  })),
)

test('L19.4b: null for an optional argument of any tool means none, or clears what can be cleared', () => {
  const cleared = []
  for (const { tool, name, schema } of fields) {
    const absent = schema.safeParse({})
    const withNull = schema.safeParse({ [name]: null })
    if (withNull.success) cleared.push(`${tool} ${name}`)
    else expect([tool, name, parse(schema, { [name]: null })]).toEqual([tool, name, absent.data])
  }
  expect(cleared).toEqual([
    'create_link label',
    'create_link expires_at',
    'update_link label',
    'update_link expires_at',
    'create_bundle description',
    'create_bundle icon',
    'update_bundle description',
    'update_bundle icon',
  ])
})

test('L19.4c: any tool takes a whole number as text, and no other text for one', () => {
  const integers = fields.filter(({ json }) => json?.type === 'integer')
  expect(integers.length).toBeGreaterThan(40)
  const texts = ['099', '00', '1.5', '1.0', 'x', '', ' ', ' 1', '1 ', '1\n', '+1', '-0', '1e2', '0x10', '1_0']
  const unlike = [...texts, '１', '٣', '1n', 'NaN', 'Infinity', '9'.repeat(400), [1], ['1'], { 1: 1 }, true]
  for (const { tool, name, schema } of integers) {
    const at = [tool, name]
    expect([...at, parse(schema, { [name]: '42' })]).toEqual([...at, { [name]: 42 }])
    for (const value of unlike)
      expect([...at, value, parse(schema, { [name]: value })]).toEqual([...at, value, undefined])
  }
  const { schema } = integers.find(({ tool, name }) => tool === 'get_link' && name === 'link_id') ?? {}
  for (const value of ['0', '-1', '9007199254740993', 1.5])
    expect([value, schema && parse(schema, { link_id: value })]).toEqual([value, undefined])
})

test('L19.4c: types are mended inside lists, objects and alternatives, too', () => {
  const inputOf = (name: string) => tools.get(name)?.input ?? z.object({})
  const url = 'https://example.com/a'
  expect(parse(inputOf('compare_links'), { link_ids: ['1', 2] })).toMatchObject({ link_ids: [1, 2] })
  expect(parse(inputOf('create_link'), { url, custom_slug: [2024, 'a'] })).toEqual({
    url,
    custom_slug: ['2024', 'a'],
  })
  expect(parse(inputOf('create_link'), { url, custom_slug: null })).toEqual({ url })
  expect(
    parse(inputOf('create_links'), {
      links: [{ url, slug: null, slug_length: '5', allow_duplicate: 'true' }],
    }),
  ).toEqual({ links: [{ url, slug_length: 5, allow_duplicate: true }] })
  const rule = { when: { country: null, device: ['mobile'], after: '5' }, to: url, label: null }
  const behaviour = { max_clicks: '3', confirm_visit: 'true', password: null, split: null, rules: [rule] }
  expect(parse(inputOf('set_link_behaviour'), { link_id: '1', behaviour })).toEqual({
    link_id: 1,
    behaviour: {
      max_clicks: 3,
      confirm_visit: true,
      password: null,
      rules: [{ when: { device: ['mobile'], after: 5 }, to: url }],
    },
  })
  const refused = [{ link_ids: [1, null] }, { link_ids: '[1,2]' }, { link_ids: [1, 2], other: null }]
  for (const args of refused) expect(parse(inputOf('compare_links'), args)).toBeUndefined()
})

test('the operations of a plan keep their values as the program wrote them', () => {
  const { input } = tools.get('plan_changes') ?? { input: z.object({}) }
  const ops = [{ operation: 'updateLink', params: { id: '1' }, body: { label: null, expires_at: '5' } }]
  expect(parse(input, { title: null, ops })).toEqual({ ops })
  for (const force of [null, 'false', 0])
    expect(parse(input, { ops: [{ operation: 'deleteLink', query: { force } }] })).toBeUndefined()
})

test('the arguments themselves stay as they came, and hostile ones cause no fault', () => {
  const input = tools.get('get_link')?.input ?? z.object({})
  const args = Object.freeze({ link_id: '1', range: null })
  expect(parse(input, args)).toEqual({ link_id: 1 })
  const deep = Array.from({ length: 30_000 }).reduce<unknown>((inner) => [inner], [])
  for (const link_id of [deep, JSON.parse('{"__proto__":null,"toString":0}'), JSON.parse('"\\ud800"')])
    expect(parse(input, { link_id })).toBeUndefined()
  expect(parse(input, JSON.parse('{"link_id":1,"__proto__":null}'))).toBeUndefined()
  expect(({} as Record<string, unknown>)['link_id']).toBeUndefined()
})
