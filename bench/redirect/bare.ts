// The lower bound for this runtime: one constant redirect.
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env['PORT']),
  fetch: () =>
    new Response(null, {
      status: 302,
      headers: { Location: 'https://example.com/articles/1?ref=1', 'Cache-Control': 'private, no-store' },
    }),
})
process.stdout.write(`${server.url.href}\n`)
