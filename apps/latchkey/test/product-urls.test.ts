import { expect, test } from 'bun:test'
import { productUrls } from '../src/product-urls.ts'

const LINKS = { access: 'loopback', baseUrl: null, port: 8080, roomsUrl: null } as const
const PUBLIC = { ...LINKS, access: 'jwt', baseUrl: 'https://go.example.com' } as const
const ROOMS = {
  allowedHosts: ['https://rooms.example.com', 'https://old.example.com'],
  linksUrl: null,
} as const

test('the demo of Rooms and Links find each other on this machine', () => {
  expect(productUrls(LINKS, 'demo', 8081)).toEqual({
    linksUrl: 'http://localhost:8080',
    roomsUrl: 'http://localhost:8081',
  })
})

test('services with public origins find each other there', () => {
  expect(productUrls(PUBLIC, ROOMS, 0)).toEqual({
    linksUrl: 'https://go.example.com',
    roomsUrl: 'https://rooms.example.com',
  })
})

test('people of a public Rooms are not sent to an admin side that is open to this machine only', () => {
  for (const baseUrl of [null, 'https://go.example.com'])
    expect(productUrls({ ...LINKS, baseUrl }, ROOMS, 0).linksUrl).toBeNull()
})

test('the settings of the operator come first', () => {
  const links = { ...PUBLIC, roomsUrl: 'https://chat.example.com' }
  const rooms = { ...ROOMS, linksUrl: 'https://admin.example.com' }
  expect(productUrls(links, rooms, 0)).toEqual({
    linksUrl: 'https://admin.example.com',
    roomsUrl: 'https://chat.example.com',
  })
})

test('a port that is not known before the start leads nowhere', () => {
  expect(productUrls({ ...LINKS, port: 0 }, 'demo', 0)).toEqual({ linksUrl: null, roomsUrl: null })
})
