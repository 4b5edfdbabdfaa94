import { expect, test } from 'bun:test'
import { guessFormat } from './format.ts'

test('the format of a file is guessed from its first line', () => {
  for (const [head, format] of [
    ['url,slug,label\nhttps://example.com/,a,', 'csv'],
    ['', 'csv'],
    ['https://example.com/', 'csv'],
    ['\ufeff{"url":"https://example.com/"}\n', 'ndjson'],
    ['keyword,url,title,timestamp,ip,clicks', 'yourls'],
    ['"address";"target";"description"', 'kutt'],
    ['Created,Title,Long URL,Bitlink', 'bitly'],
    ['shortUrl,longUrl,title,createdAt', 'shlink'],
    ['Short link,Destination URL,Clicks,Created at,Tags', 'dub'],
    ['Long_URL\tCustom back-half', 'bitly'],
  ] as const)
    expect([head, guessFormat(head)]).toEqual([head, format])
})
