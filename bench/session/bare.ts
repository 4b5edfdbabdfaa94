// The lower bound for this runtime: one constant answer as long as that of Rooms.
const BODY = JSON.stringify({
  user: {
    id: '01234567-89ab-4cde-8f01-23456789abcd',
    nickname: 'Person 123456',
    email: null,
    avatarColor: '#1565c0',
    avatarUrl: null,
    identityType: 'oauth',
    platformAdmin: false,
  },
  session: {
    id: '01234567-89ab-4cde-8f01-23456789abcd',
    createdAt: '2026-11-21T12:00:00.000Z',
    expiresAt: '2026-11-28T12:00:00.000Z',
  },
})
Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env['PORT']),
  fetch: () =>
    new Response(BODY, { headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' } }),
})
