import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseNickname } from './nickname.ts'

const PRODUCT = 'Harbour Talk'
const parse = (name: string) => parseNickname(name, PRODUCT)

test('R14.6: a nickname keeps its visible characters and loses the blanks around it', () => {
  const accepted = [
    'Åsa',
    'Anna-Lena 2',
    '小明',
    '🙂',
    '👩‍👩‍👧‍👦',
    '🇸🇪',
    'Anna 🇸🇪',
    '🅰 crew',
    "O'Brien",
    'Мария',
    'x',
  ]
  for (const name of accepted) expect(parse(`  ${name}\n`)).toEqual({ name })
})

test('R14.6: a nickname may have 64 graphemes of any kind and no more', () => {
  for (const sign of ['a', 'é', '👩‍👩‍👧‍👦', '🇸🇪']) {
    expect(parse(sign.repeat(64))).toEqual({ name: sign.repeat(64) })
    expect(parse(sign.repeat(65))).toEqual({ refused: 'length' })
  }
})

test('R14.6: a nickname that is invisible or has too many combining marks is refused', () => {
  const invisible = [
    '',
    ' ',
    '\u00a0',
    '\u200b\u200d',
    '\u3164',
    '\u2800',
    '\u115f',
    '\u0301',
    '\u202e',
    '\t\n',
    '\ue000',
  ]
  for (const name of invisible) expect([name, parse(name)]).toEqual([name, { refused: 'length' }])
  expect(parse(`a${'\u0301'.repeat(2000)}`)).toEqual({ refused: 'length' })
})

test('R14.6: invisible characters are removed', () => {
  expect(parse('A\u200bn\u202en\u2060a')).toEqual({ name: 'Anna' })
})

describe('R14.6a: reserved words', () => {
  const refused = [
    'administrator',
    'ADMINISTRATOR',
    'Admin',
    'The Owner',
    'owner!',
    'staff',
    'Mod',
    'the help desk',
    'Helpdesk 2',
    'security',
    'Team',
    'тeаm',
    '$taff',
    'm.o.d',
    '(moderator)',
    'Support-Team',
    'system',
    'Latchkey',
    'Harbour Talk',
    'harbour-talk helper',
    'HarbourTalk',
    // Look-alikes: Cyrillic, Greek, full-width, mathematical and circled letters, digits, combining
    // marks, letter sequences.
    'аdministrаtor',
    'Οwner',
    'ＯＷＮＥＲ',
    '𝐬𝐮𝐩𝐩𝐨𝐫𝐭',
    'ⓢⓨⓢⓣⓔⓜ',
    'm0derat0r',
    'Adm1n',
    'AdmIn',
    '$upport',
    '5ystem',
    'öwner',
    'o\u0336w\u0336n\u0336e\u0336r\u0336',
    'rnoderator',
    'ovvner',
    'ɑdmin',
    'ѕυрроrt',
    'own\u200ber',
    'own\u00ader',
    'o w n e r',
    'mode rator',
    'o.w.n.e.r',
    // Small capitals, and symbols that show letters.
    'ᴀᴅᴍɪɴ',
    'ᴍᴏᴅᴇʀᴀᴛᴏʀ',
    'sʏsᴛᴇᴍ',
    'sᴜᴘᴘᴏʀᴛ',
    'ʟᴀᴛᴄʜᴋᴇʏ',
    'ʜᴀʀʙᴏᴜʀ ᴛᴀʟᴋ',
    '🅐🅓🅜🅘🅝',
    '🅰🅳🅼🅸🅽',
    '🅾🆆🅽🅴🆁',
    '🇴🇼🇳🇪🇷',
    'a🇩min',
    '🇸🇪 admin',
    '🇸🇪admin',
    'admin🅰',
  ]
  for (const name of refused)
    test(`${JSON.stringify(name)} is refused`, () => expect(parse(name)).toEqual({ refused: 'reserved' }))

  test('are accepted inside a longer word', () => {
    for (const name of [
      'Landowner',
      'Administratorix',
      'Ecosystem',
      'Harbour',
      'Talk',
      'Supporter',
      'Downer',
      'Modesty',
      'Steam',
      'Teamwork',
      'Insecurity',
    ])
      expect(parse(name)).toEqual({ name })
  })

  test('are searched for in linear time, even in a name that expands to many words', () => {
    // Each character expands to four words.
    const fastest = (characters: number) => {
      const name = 'ﷺ'.repeat(characters)
      const times = Array.from({ length: 10 }, () => {
        const startedMs = performance.now()
        expect(parse(name)).toEqual({ name })
        return performance.now() - startedMs
      })
      return Math.min(...times)
    }
    // The first run lets the engine compile the code.
    fastest(64)
    expect(fastest(64)).toBeLessThan(5 * 16 * fastest(4))
  })

  test('do not include a product name without letters', () => {
    expect(parseNickname('Anna', '***')).toEqual({ name: 'Anna' })
  })
})

test('R14.6: no nickname takes much longer to parse than an ordinary one of the maximum length', () => {
  const fastest = (name: string) => {
    const times = Array.from({ length: 10 }, () => {
      const startedMs = performance.now()
      parse(name)
      return performance.now() - startedMs
    })
    return Math.min(...times)
  }
  const ordinary = 'Anna-Lena '.repeat(7).slice(0, 64)
  fastest(ordinary)
  const maxMs = 50 * fastest(ordinary)
  for (const [about, name] of [
    ['letters that expand to four words each', 'ﷺ'.repeat(63)],
    ['such letters with blanks between', 'ﷺ '.repeat(32)],
    ['a reserved word spelled out repeatedly', 'o.w.n.e.'.repeat(8)],
    ['repeated marks, out of order', '\u0301\u0316'.repeat(1024)],
    [
      'marks that become adjacent when invisible characters are removed',
      `a${`${'\u0301\u0316'.repeat(15)}\u200b`.repeat(66)}`,
    ],
  ] as const)
    expect([about, fastest(name) < maxMs]).toEqual([about, true])
})

test('R14.6: an accepted nickname does not change when it is parsed again', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => {
      const first = parse(text)
      if ('name' in first) expect(parse(first.name)).toEqual(first)
    }),
  )
})
