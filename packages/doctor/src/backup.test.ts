import { expect, test } from 'bun:test'
import { checkBackup } from './backup.ts'

test('O4.4c: the last verified backup is a finding, and a warning once it is older than four days', () => {
  const last = { at: 1_795_240_000, place: 's3://backups/latchkey.tar' }
  expect(checkBackup(undefined, last.at)).toEqual([])
  const sentence = 'verified on 2026-11-21T05:46:40.000Z, s3://backups/latchkey.tar'
  expect(checkBackup(last, last.at + 4 * 86_400)).toEqual([{ level: 'ok', name: 'backup', sentence }])
  expect(checkBackup(last, last.at + 5 * 86_400)).toEqual([
    { level: 'warn', name: 'backup', sentence: `5 days old: ${sentence}` },
  ])
})
