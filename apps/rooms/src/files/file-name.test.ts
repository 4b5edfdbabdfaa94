import { expect, test } from 'bun:test'
import { cleanFileName, contentDisposition } from './file-name.ts'

test('R31.1c: a name has no folders, no control characters, and nothing that reverses the direction of writing', () => {
  const names: [sent: string, name: string][] = [
    ['report.pdf', 'report.pdf'],
    ['../../../etc/passwd', 'passwd'],
    ['C:\\fakepath\\räka.txt', 'räka.txt'],
    ['evil\u202egnp.exe', 'evilgnp.exe'],
    ['\u2067a\u2069.txt', 'a.txt'],
    ['a\r\nSet-Cookie: x=y.txt', 'aSet-Cookie: x=y.txt'],
    ['a\0.php\u0007', 'a.php'],
    ['  spaces .txt ', 'spaces .txt'],
    ['e\u0301.txt', 'é.txt'],
    ['lone \ud800.txt', 'lone \ufffd.txt'],
    ['👩‍🚀.png', '👩‍🚀.png'],
    ['نص.txt', 'نص.txt'],
    ['', 'file'],
    ['..', 'file'],
    ['a/', 'file'],
    ['\u200b\u2800', 'file'],
  ]
  for (const [sent, name] of names) expect([sent, cleanFileName(sent)]).toEqual([sent, name])
})

test('R31.1c: a long name is shortened and keeps its extension', () => {
  const name = cleanFileName(`${'ä'.repeat(500)}.tar.gz`)
  expect([Array.from(name).length, name.endsWith('ä.gz')]).toEqual([150, true])
  expect(Array.from(cleanFileName(`a.${'b'.repeat(500)}`))).toHaveLength(150)
})

test('R31.3: the header has the name in ASCII and in full, and no way out of its quotation marks', () => {
  expect(contentDisposition('attachment', 'a.txt')).toBe(
    `attachment; filename="a.txt"; filename*=UTF-8''a.txt`,
  )
  expect(contentDisposition('inline', `"; filename="x.html\\'(*)€`)).toBe(
    `inline; filename="_; filename=_x.html_'(*)_"; filename*=UTF-8''%22%3B%20filename%3D%22x.html%5C%27%28%2a%29%E2%82%AC`,
  )
})
