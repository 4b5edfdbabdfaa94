import { describe, expect, test } from 'bun:test'
import {
  type Kind,
  addresses,
  bearerToken,
  databaseUrl,
  headerName,
  httpUrl,
  integer,
  listenHost,
  onOff,
  oneOf,
  origin,
  rate,
  sqliteUrl,
  text,
} from './kinds.ts'

interface Case {
  readonly kind: Kind<unknown>
  readonly good: readonly (readonly [string, unknown])[]
  readonly bad: readonly string[]
}

const same = (values: string[]) => values.map((value) => [value, value] as const)

const cases: Record<string, Case> = {
  text: { kind: text(), good: same(['a', 'a b', 'é']), bad: [' a', 'a ', ' ', 'a\nb', 'a\u0000', '\u007f'] },
  'bearer token': {
    kind: bearerToken(),
    good: same(['0123456789abcde~']),
    bad: ['0123456789abcde', '0123456789 abcdef', '0123456789abcdeé', '0123456789abcdef\n'],
  },
  integer: {
    kind: integer(1, 65535),
    good: [
      ['1', 1],
      ['65535', 65535],
      ['0080', 80],
    ],
    bad: ['0', '65536', '-1', '+1', '1.0', '1e3', '0x10', ' 1', '1 ', 'one', '١', '9'.repeat(400), 'NaN'],
  },
  'one of': {
    kind: oneOf([301, 302, 'x']),
    good: [
      ['301', 301],
      ['x', 'x'],
    ],
    bad: ['303', '0301', ' 301', 'X', '301,302', '__proto__'],
  },
  'on or off': {
    kind: onOff(),
    good: [
      ['on', true],
      ['off', false],
    ],
    bad: ['On', 'true', '1', 'yes', ' on'],
  },
  host: {
    kind: listenHost(),
    good: same(['127.0.0.1', '0.0.0.0', '::', '::1', 'localhost', 'links', 'a-b.example.com', 'a1']),
    bad: [
      'http://x',
      '127.0.0.1:80',
      '[::1]',
      '256.1.1.1',
      '1.2.3',
      'a b',
      '-a.example',
      'a..b',
      'fe80::1%eth0',
    ],
  },
  origin: {
    kind: origin(),
    good: [
      ['https://go.example.com', 'https://go.example.com'],
      ['https://go.example.com/', 'https://go.example.com'],
      ['https://Go.Example.com:443', 'https://go.example.com'],
      ['http://[::1]:8080', 'http://[::1]:8080'],
    ],
    bad: [
      'go.example.com',
      'https://go.example.com/x',
      'https://go.example.com//',
      'https://go.example.com?',
      'https://go.example.com/#',
      'https://user@go.example.com',
      'https://:pw@go.example.com',
      'ftp://go.example.com',
      'javascript:alert(1)',
      'https:go.example.com',
      'https:\\\\go.example.com',
      'https://go.example.com\\x',
      'https:///go.example.com',
      'https://go .example.com',
      ' https://go.example.com',
      'https://go.example.com\n',
      'https://a,https://b',
      'https://x:99999',
    ],
  },
  url: {
    kind: httpUrl(),
    good: same(['https://a.example', 'https://a.example/certs?x=1', 'http://127.0.0.1:1/jwks']),
    bad: ['/certs', 'a.example', 'https://a@b/', 'https://a/#x', 'https://a/#', 'file:///x', 'https://a/ b'],
  },
  addresses: {
    kind: addresses(),
    good: [
      ['10.0.0.0/8', ['10.0.0.0/8']],
      [' 10.1.2.3 , ::1,2001:db8::/32', ['10.1.2.3', '::1', '2001:db8::/32']],
      ['::ffff:10.0.0.1', ['::ffff:10.0.0.1']],
    ],
    bad: [
      ',',
      '10.0.0.1,',
      '10.0.0.0/33',
      '::/129',
      '10.0.0',
      '010.0.0.1',
      '0x7f.0.0.1',
      '2130706433',
      'localhost',
      '10.0.0.1 10.0.0.2',
      'fe80::1%eth0',
      '*',
      '1.2.3.4:80',
    ],
  },
  rate: {
    kind: rate(),
    good: [
      ['600/min', { count: 600, perSeconds: 60 }],
      ['10/sec', { count: 10, perSeconds: 1 }],
      ['1000000/hour', { count: 1_000_000, perSeconds: 3600 }],
      ['off', null],
    ],
    bad: [
      '0/min',
      '-1/min',
      '600',
      '600/',
      '600/day',
      '600 / min',
      '600/MIN',
      '1.5/sec',
      '1000001/sec',
      'OFF',
    ],
  },
  sqlite: {
    kind: sqliteUrl(),
    good: same(['sqlite:./data/links.db', 'sqlite:/var/x y.db', 'sqlite:///var/x.db']),
    bad: ['sqlite:', 'sqlite: ', 'sqlite://data/x.db', './x.db', 'postgres://h/d', 'sqlite:a\nb', 'SQLITE:x'],
  },
  database: {
    kind: databaseUrl(),
    good: same(['sqlite:x.db', 'postgres://u:p@h:5432/d', 'postgresql:///d?host=/run/postgresql']),
    bad: ['mysql://h/d', 'postgres:h', 'postgres://', 'postgres://u p@h/d', 'http://h', 'sqlite:'],
  },
  'header name': {
    kind: headerName(),
    good: same(['X-Forwarded-For', 'CF_Authorization', '__Host-x']),
    bad: ['X Forwarded', 'X:', 'é', 'a\r\nb', 'a=b', 'a;b', '"a"'],
  },
}

for (const [name, { kind, good, bad }] of Object.entries(cases)) {
  describe(name, () => {
    for (const [raw, value] of good)
      test(`takes ${JSON.stringify(raw)}`, () => expect(kind.parse(raw)).toEqual(value))
    for (const raw of ['', ...bad].filter((value) => value !== '' || name !== 'text'))
      test(`refuses ${JSON.stringify(raw).slice(0, 60)}`, () => expect(kind.parse(raw)).toBeUndefined())
  })
}
