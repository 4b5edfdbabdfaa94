import { expect, test } from 'bun:test'
import { demoPort, readDemoSettings } from './demo.ts'

test('R2: the demo uses the configured port, or the default port next to a Kubernetes service named rooms', () => {
  expect(demoPort({ ROOMS_PORT: '9000' })).toBe(9000)
  const env = { ROOMS_PORT: 'tcp://10.96.0.7:8080', ROOMS_SERVICE_HOST: '10.96.0.7' }
  expect(demoPort(env)).toBe(8081)
  expect(readDemoSettings(env, { port: 8081, secret: 's', issuer: 'http://127.0.0.1:8082' })).toMatchObject({
    port: 8081,
    allowedHosts: ['http://localhost:8081', 'http://127.0.0.1:8081'],
  })
})
