import { expect, test } from 'bun:test'
import { tar } from '../../../../scripts/release/image/tar.ts'

const file = { path: 'bin/program', mode: 0o755, content: new TextEncoder().encode('#!/bin/sh\n') }

function list(archive: Uint8Array): string {
  const { stdout } = Bun.spawnSync(['tar', '--list', '--verbose', '--numeric-owner', '--utc'], {
    stdin: archive,
  })
  return stdout.toString()
}

test('an archive keeps modes and owners, in order, with the time 0', () => {
  const archive = tar([file, { path: 'bin', mode: 0o755 }, { path: 'data', mode: 0o1777, owner: 65532 }])
  expect(list(archive).replaceAll(/ +/g, ' ')).toBe(
    `drwxr-xr-x 0/0 0 1970-01-01 00:00 bin/
-rwxr-xr-x 0/0 10 1970-01-01 00:00 bin/program
drwxrwxrwt 65532/65532 0 1970-01-01 00:00 data/
`,
  )
})

test('a path that does not fit is refused, not cut', () => {
  expect(() => tar([{ ...file, path: 'a'.repeat(101) }])).toThrow('does not fit')
  expect(() => tar([{ ...file, path: 'a'.repeat(100) }])).not.toThrow()
})
