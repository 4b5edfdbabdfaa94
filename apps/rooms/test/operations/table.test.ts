import { describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { failures } from '../../src/api/failures.ts'
import { apiOperations } from '../../src/operations.ts'

const SCOPES = ['public', 'session', 'member', 'admin']

describe('every operation', () => {
  for (const operation of apiOperations)
    test(`${operation.id} declares its summary, scope, input and errors`, () => {
      const { id, methods, path, scope, summary, tag, params, body, result, failures: codes = [] } = operation
      expect(id).toMatch(/^[a-z]+(?:[A-Z][a-z]*)*$/)
      expect(SCOPES).toContain(scope)
      expect(summary).toMatch(/^[A-Z].*[^.]$/)
      expect(tag).toMatch(/^[A-Z]/)
      expect(result).toBeDefined()
      expect(path).toMatch(/^(?:\/(?:[a-z-]+|\{\w+\}))+$/)
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      expect(Object.keys(params?.shape ?? {})).toEqual(named as string[])
      if (methods.includes('GET')) expect(body).toBeUndefined()
      for (const code of codes) expect(Object.keys(failures)).toContain(code)
      expect(new Set(codes).size).toBe(codes.length)
    })
})

test('no two operations have the same id, or the same method and path', () => {
  const ids = apiOperations.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  const routes = apiOperations.flatMap(({ methods, path }) =>
    methods.map((method) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`),
  )
  expect(new Set(routes).size).toBe(routes.length)
})

test('R15.2: every documented error code has its own message', () => {
  const texts = Object.values(failures).map(({ text }) => text)
  expect(new Set<string>(texts).size).toBe(texts.length)
  for (const text of texts) expect(text).toMatch(/^[A-Z].*[^.]$/)
})

test('every operation under /admin is for administrators', () => {
  const below = apiOperations.filter(({ path }) => path.startsWith('/admin/'))
  expect(below.length).toBeGreaterThan(10)
  for (const { id, scope } of below) expect([id, scope]).toEqual([id, 'admin'])
})

/** Arrays that come whole, and what bounds them. */
const BOUNDED: Readonly<Record<string, string>> = {
  'getPerson.rooms': '20 rooms',
  'getSession.blockedIds': 'blocks_person',
  'createGuestSession.blockedIds': 'blocks_person',
  'getRoom.participants': '200 people',
  'searchPeople.users': '20 people',
  'previewInvitation.people': 'five people',
  'addReaction.reactions': 'reaction_kinds',
  'removeReaction.reactions': 'reaction_kinds',
  'joinCall.peers': 'voice_people',
  'joinCall.iceServers': 'settings',
  'changePlatformAdmin.remaining': 'sources of grants',
  'getProviderStatus.conditions': 'a setting',
  'explainClaims.ownedTeams': 'body_bytes',
  'listRoomGroups.groups': 'groups_room',
  'replaceRoomGroups.groups': 'groups_room',
  'explainClaims.rules': 'conditions',
  'exportAccount.blocks': 'a file of everything',
  'exportAccount.grants': 'a file of everything',
  'exportAccount.sessions': 'a file of everything',
  'exportAccount.activity': 'a file of everything',
}

test('R16.1c: each list has pages, unless something else bounds it', () => {
  const whole = apiOperations.flatMap(({ id, result, query }) => {
    const members = result instanceof z.ZodObject ? Object.entries(result.shape) : []
    const arrays = members.filter(([, member]) => member instanceof z.ZodArray).map(([name]) => name)
    const isPaged = query instanceof z.ZodObject && 'limit' in query.shape
    return isPaged ? [] : arrays.map((name) => `${id}.${name}`)
  })
  expect(whole.toSorted()).toEqual(Object.keys(BOUNDED).toSorted())
})
