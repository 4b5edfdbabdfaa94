import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseNickname } from './nickname.ts'

const PRODUCT = 'Harbour Talk'
const parse = (given: string) => parseNickname(given, PRODUCT)

test('a name keeps what people see of it, without blanks around it', () => {
  const kept = ['Åsa', 'Anna-Lena 2', '小明', '🙂', '👩‍👩‍👧‍👦', '🇸🇪', 'Anna 🇸🇪', '🅰 crew', "O'Brien", 'Мария', 'x']
  for (const name of kept) expect(parse(`  ${name}\n`)).toEqual({ name })
})

test('a name of 64 graphemes is accepted and one of 65 refused, whatever they are made of', () => {
  for (const each of ['a', 'é', '👩‍👩‍👧‍👦', '🇸🇪']) {
    expect(parse(each.repeat(64))).toEqual({ name: each.repeat(64) })
    expect(parse(each.repeat(65))).toEqual({ refused: 'length' })
  }
})

test('a name that nobody can see, or whose letters drown in marks, is refused', () => {
  const unseen = [
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
  for (const name of unseen) expect([name, parse(name)]).toEqual([name, { refused: 'length' }])
  expect(parse(`a${'\u0301'.repeat(2000)}`)).toEqual({ refused: 'length' })
})

test('invisible characters are removed from what is kept', () => {
  expect(parse('A\u200bn\u202en\u2060a')).toEqual({ name: 'Anna' })
})

describe('reserved words', () => {
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
    // Look-alikes: Cyrillic, Greek, full width, mathematical, circled, digits, marks, runs of letters.
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
    // Small capitals, and letters that are symbols.
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

  test('inside a longer word they say nothing', () => {
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

  test('a name that is spelled out in many words costs little more than its length', () => {
    // Four words in each character.
    const fastest = (characters: number) => {
      const name = 'ﷺ'.repeat(characters)
      const times = Array.from({ length: 10 }, () => {
        const startedMs = performance.now()
        expect(parse(name)).toEqual({ name })
        return performance.now() - startedMs
      })
      return Math.min(...times)
    }
    // Neither is measured before the engine has compiled what both run.
    fastest(64)
    expect(fastest(64)).toBeLessThan(5 * 16 * fastest(4))
  })

  test('a product name without letters reserves nothing', () => {
    expect(parseNickname('Anna', '***')).toEqual({ name: 'Anna' })
  })
})

test('no name costs much more than an ordinary one of the longest', () => {
  const fastest = (given: string) => {
    const times = Array.from({ length: 10 }, () => {
      const startedMs = performance.now()
      parse(given)
      return performance.now() - startedMs
    })
    return Math.min(...times)
  }
  const ordinary = 'Anna-Lena '.repeat(7).slice(0, 64)
  fastest(ordinary)
  const most = 50 * fastest(ordinary)
  for (const [about, given] of [
    ['letters that become four words each', 'ﷺ'.repeat(63)],
    ['such letters with blanks between', 'ﷺ '.repeat(32)],
    ['a reserved word spelled out again and again', 'o.w.n.e.'.repeat(8)],
    ['marks upon marks, out of order', '\u0301\u0316'.repeat(1024)],
    ['marks that join when what is invisible goes', `a${`${'\u0301\u0316'.repeat(15)}\u200b`.repeat(66)}`],
  ] as const)
    expect([about, fastest(given) < most]).toEqual([about, true])
})

test('any text is either refused or becomes a name that is kept unchanged when it comes again', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (given) => {
      const first = parse(given)
      if ('name' in first) expect(parse(first.name)).toEqual(first)
    }),
  )
})
