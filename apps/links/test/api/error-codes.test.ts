import { describe, expect, test } from 'bun:test'
import { onSqlite } from '@latchkey/database/testing'
import { Failure } from '@latchkey/http/failure'
import { type ErrorCode, errorCodeOf, errorCodes, failures } from '../../src/api/failures.ts'
import { QrSizeTooSmall, QrUnreadable } from '../../src/api/qr-failures.ts'
import { adminFailureResponse, publicFailureResponse } from '../../src/http/render-failure.ts'
import { sharedTestLinks } from '../testing.ts'

describe('every failure of the list', () => {
  for (const [code, kind] of Object.entries(failures)) {
    const failure = new Failure(code, kind, { 'Retry-After': '5' })

    test(`L25.6a: the public API answers ${code} with exactly {error}, and the code in a header`, async () => {
      const response = publicFailureResponse(failure)
      expect([response.status, await response.text()]).toEqual([
        kind.status,
        `{"error":${JSON.stringify(kind.text)}}`,
      ])
      expect(response.headers.get('x-error-code')).toBe(code)
      expect(response.headers.get('retry-after')).toBe('5')
    })

    test(`L25.6b: the admin API answers ${code} with {error, code}`, async () => {
      const response = adminFailureResponse(failure)
      expect([response.status, await response.json()]).toEqual([kind.status, { error: kind.text, code }])
      expect(response.headers.get('x-error-code')).toBeNull()
      expect(response.headers.get('retry-after')).toBe('5')
    })
  }
})

test('L25.6: error codes are unique and in snake_case', () => {
  expect(new Set(errorCodes).size).toBe(errorCodes.length)
  expect(errorCodes.filter((code) => !/^[a-z]+(_[a-z]+)*$/.test(code))).toEqual([])
})

test('L25.6f: a detail outside the list does not reach the wire', () => {
  const text = 'x'
  expect(errorCodeOf(new Failure('invalid_request', { status: 400, text, detail: 'limit_invalid' }))).toBe(
    'invalid_request',
  )
})

test('L25.6b: a QR code that is too small has its smallest size in pixels', async () => {
  expect(await adminFailureResponse(new QrSizeTooSmall(29)).json()).toEqual({
    error: 'size: must be at least 29 for this code as PNG',
    code: 'qr_too_small',
    min_size: 29,
  })
})

test('L25.6b: a QR code that cannot be read back has the parameter to change', async () => {
  expect(await adminFailureResponse(new QrUnreadable('margin')).json()).toEqual({
    error: 'margin: a scanner could not read this code; choose a wider one',
    code: 'qr_unreadable',
    field: 'margin',
  })
})

const LONG = 'x'.repeat(3000)
const URL_FIELD = { url: 'https://example.com/' }

/** Invalid bodies and queries by the code that they end in. */
const INVALID: [code: ErrorCode, method: string, path: string, body?: unknown][] = [
  ['url_required', 'POST', '/links', {}],
  ['url_invalid', 'POST', '/links', { url: 'example' }],
  ['url_invalid', 'POST', '/links', { url: 'ftp://example.com/' }],
  ['url_invalid', 'POST', '/links', { url: 5 }],
  ['url_too_long', 'POST', '/links', { url: `https://example.com/${LONG}` }],
  ['url_malformed', 'POST', '/links', { url: 'https://example.com/\u0001' }],
  ['url_malformed', 'POST', '/links', { url: 'https://example.com/\ud800' }],
  ['slug_required', 'POST', '/links', { ...URL_FIELD, slug: ' ' }],
  ['slug_invalid', 'POST', '/links', { ...URL_FIELD, slug: '_a' }],
  ['slug_invalid', 'POST', '/links', { ...URL_FIELD, slug: 'a b' }],
  ['slug_invalid', 'POST', '/links', { ...URL_FIELD, slug: 'a', custom_slug: 'b' }],
  ['slug_too_long', 'POST', '/links', { ...URL_FIELD, slug: LONG }],
  ['slug_too_long', 'POST', '/links', { ...URL_FIELD, custom_slug: LONG }],
  ['slug_reserved', 'POST', '/links', { ...URL_FIELD, slug: 'robots.txt' }],
  ['label_too_long', 'POST', '/links', { ...URL_FIELD, label: LONG }],
  ['label_malformed', 'POST', '/links', { ...URL_FIELD, label: '\0' }],
  ['expires_at_invalid', 'POST', '/links', { ...URL_FIELD, expires_at: -1 }],
  ['expires_at_invalid', 'POST', '/links', { ...URL_FIELD, expires_at: 'soon' }],
  ['expires_at_invalid', 'POST', '/links', { ...URL_FIELD, expires_at: 1e15 }],
  ['unknown_field', 'POST', '/links', { ...URL_FIELD, colour: 'red' }],
  ['invalid_request', 'POST', '/links', []],
  ['invalid_request', 'POST', '/links', { ...URL_FIELD, slug_length: 2 }],
  ['invalid_request', 'GET', '/links?limit=0'],
  ['search_too_long', 'GET', `/links?search=${LONG}`],
  ['search_malformed', 'GET', '/links?search=%00'],
  ['cursor_invalid', 'GET', '/links?cursor=x'],
  ['name_required', 'POST', '/bundles', {}],
  ['name_required', 'POST', '/bundles', { name: ' ' }],
  ['name_too_long', 'POST', '/bundles', { name: LONG }],
  ['name_malformed', 'POST', '/bundles', { name: '\0' }],
  ['description_too_long', 'POST', '/bundles', { name: 'a', description: LONG }],
  ['description_malformed', 'POST', '/bundles', { name: 'a', description: '\0' }],
  ['icon_too_long', 'POST', '/bundles', { name: 'a', icon: LONG }],
  ['icon_malformed', 'POST', '/bundles', { name: 'a', icon: '\0' }],
  ['accent_invalid', 'POST', '/bundles', { name: 'a', accent: 'pink' }],
  ['domain_invalid', 'GET', '/links?domain=a%20b'],
  ['domain_invalid', 'GET', '/slugs/abcd?domain=192.0.2.1%3A80'],
  ['root_url_invalid', 'PUT', '/domains/localhost', { root_url: 'example' }],
  ['root_url_too_long', 'PUT', '/domains/localhost', { root_url: `https://example.com/${LONG}` }],
  ['root_url_malformed', 'PUT', '/domains/localhost', { root_url: 'https://example.com/\u0001' }],
  [
    'well_known_too_long',
    'PUT',
    '/domains/localhost',
    { well_known: { 'assetlinks.json': ['x'.repeat(131_072)] } },
  ],
]

/** Invalid requests to routes that only the admin API has. */
const INVALID_ADMIN: typeof INVALID = [
  ['title_required', 'POST', '/keys', { scope: 'read' }],
  ['title_required', 'POST', '/keys', { title: ' ', scope: 'read' }],
  ['title_too_long', 'POST', '/keys', { title: LONG, scope: 'read' }],
  ['title_malformed', 'POST', '/keys', { title: '\0', scope: 'read' }],
  ['scope_invalid', 'POST', '/keys', { title: 'a', scope: 'all' }],
  ['slug_default_length_invalid', 'PUT', '/settings', { slug_default_length: 2 }],
  ['slug_default_length_invalid', 'PUT', '/settings', { slug_default_length: 129 }],
  ['slug_default_length_invalid', 'PUT', '/settings', { slug_default_length: 4.5 }],
  ['time_zone_invalid', 'PUT', '/settings', { time_zone: 'Mars/Olympus' }],
  ['root_redirect_url_invalid', 'PUT', '/settings', { root_redirect_url: 'example' }],
  ['root_redirect_url_too_long', 'PUT', '/settings', { root_redirect_url: LONG }],
  ['root_redirect_url_malformed', 'PUT', '/settings', { root_redirect_url: '\0' }],
  ['not_found_url_invalid', 'PUT', '/settings', { not_found_url: 'example' }],
  ['not_found_url_too_long', 'PUT', '/settings', { not_found_url: LONG }],
  ['not_found_url_malformed', 'PUT', '/settings', { not_found_url: '\0' }],
]

/** Provoked elsewhere: an upload that breaks off, in transfer.test.ts, and contrast, below. */
const ELSEWHERE: readonly ErrorCode[] = ['upload_interrupted', 'dark_low_contrast']

test('L25.6e: every code of an invalid value is provoked by a test', () => {
  const provoked = new Set([...INVALID, ...INVALID_ADMIN].map(([code]) => code).concat(ELSEWHERE))
  const ownCodes = errorCodes.filter((code) => !Object.hasOwn(failures, code))
  expect(ownCodes.filter((code) => !provoked.has(code))).toEqual([])
})

onSqlite((newUrl) => {
  const links = sharedTestLinks(newUrl)

  test('L25.6e: invalid values have a code of their own on both APIs', async () => {
    const key = await links.key('ann@example.com')
    for (const [code, method, path, body] of INVALID) {
      const { status, headers } = await links.call(method, path, { key, body })
      expect([path, body, status, headers.get('x-error-code')]).toEqual([path, body, 400, code])
    }
    for (const [code, method, path, body] of [...INVALID, ...INVALID_ADMIN]) {
      const { status, body: answer } = await links.callAdmin(method, path, { body })
      expect([path, body, status, answer.code]).toEqual([path, body, 400, code])
    }
  })

  test('L25.6c: an invalid value inside a field has its path and problem, on the admin side only', async () => {
    const key = await links.key('ann@example.com')
    const { id } = await links.createLink(key)
    const path = `/links/${id}/behaviour`
    const body = { rules: [{ when: { country: ['SE'] }, to: 'ftp://example.com' }] }
    const { status, body: answer, headers } = await links.call('PUT', path, { key, body })
    expect([status, Object.keys(answer), headers.get('x-error-code')]).toEqual([
      400,
      ['error'],
      'invalid_request',
    ])
    expect((await links.callAdmin('PUT', path, { body })).body).toEqual({
      error: answer.error,
      code: 'invalid_request',
      fields: [{ path: 'rules.0.to', code: expect.any(String) }],
    })
    expect(
      (await links.callAdmin('POST', '/links', { body: { url: 'ftp://a' } })).body.fields,
    ).toBeUndefined()
  })

  test('L25.6: QR codes that cannot be drawn have codes on both APIs', async () => {
    const key = await links.key('ann@example.com')
    const { id } = await links.createLink(key)
    for (const [code, query] of [
      ['qr_too_small', 'size=1&format=png'],
      ['dark_low_contrast', 'dark=ffffff'],
      ['qr_unreadable', 'frame=Menu&margin=0'],
    ]) {
      const path = `/links/${id}/qr?${query}`
      expect((await links.call('GET', path, { key })).headers.get('x-error-code')).toBe(code ?? '')
      expect((await links.callAdmin('GET', path)).body.code).toBe(code)
    }
  })
})
