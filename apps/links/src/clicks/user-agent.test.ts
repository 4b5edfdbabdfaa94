import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { classifyUserAgent } from './user-agent.ts'

const KHTML = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const WINDOWS = `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${KHTML}`
const ANDROID = `Mozilla/5.0 (Linux; Android 14; Pixel 8) ${KHTML}`
const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)'
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'
const IPAD = 'Mozilla/5.0 (iPad; CPU OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'

const PEOPLE: [name: string, userAgent: string, deviceType: string, os: string, browser: string][] = [
  ['Chrome on Windows', `${WINDOWS} Chrome/124.0.0.0 Safari/537.36`, 'desktop', 'windows', 'Chrome'],
  ['Chrome on Android', `${ANDROID} Chrome/124.0.0.0 Mobile Safari/537.36`, 'mobile', 'android', 'Chrome'],
  [
    'Chrome on an Android tablet',
    `Mozilla/5.0 (Linux; Android 13; SM-X700) ${KHTML} Chrome/124.0.0.0 Safari/537.36`,
    'tablet',
    'android',
    'Chrome',
  ],
  [
    'Chrome on ChromeOS',
    `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${KHTML} Chrome/124.0.0.0 Safari/537.36`,
    'desktop',
    'chromeos',
    'Chrome',
  ],
  [
    'Chrome on Linux',
    `Mozilla/5.0 (X11; Linux x86_64) ${KHTML} Chrome/124.0.0.0 Safari/537.36`,
    'desktop',
    'linux',
    'Chrome',
  ],
  ['Chrome on iPhone', `${IPHONE} CriOS/124.0.6367.88 Mobile/15E148 Safari/604.1`, 'mobile', 'ios', 'Chrome'],
  ['Chrome on iPad', `${IPAD} CriOS/124.0.6367.88 Mobile/15E148 Safari/604.1`, 'tablet', 'ios', 'Chrome'],
  [
    'an Android web view',
    `Mozilla/5.0 (Linux; Android 13; SM-A536B; wv) ${KHTML} Version/4.0 Chrome/122.0.6261.119 Mobile Safari/537.36`,
    'mobile',
    'android',
    'Chrome',
  ],
  [
    'Chromium on Ubuntu',
    `Mozilla/5.0 (X11; Linux x86_64) ${KHTML} Ubuntu Chromium/83.0.4103.61 Chrome/83.0.4103.61 Safari/537.36`,
    'desktop',
    'linux',
    'Chromium',
  ],
  [
    'Chromium named after Chrome',
    `Mozilla/5.0 (X11; Linux x86_64) ${KHTML} Chrome/83.0.4103.61 Chromium/83.0.4103.61 Safari/537.36`,
    'desktop',
    'linux',
    'Chromium',
  ],
  [
    'Edge on Windows',
    `${WINDOWS} Chrome/124.0.0.0 Safari/537.36 Edg/124.0.0.0`,
    'desktop',
    'windows',
    'Edge',
  ],
  [
    'Edge on Android',
    `${ANDROID} Chrome/124.0.0.0 Mobile Safari/537.36 EdgA/124.0.0.0`,
    'mobile',
    'android',
    'Edge',
  ],
  [
    'Edge on iPhone',
    `${IPHONE} Version/17.0 EdgiOS/124.0.2478.71 Mobile/15E148 Safari/604.1`,
    'mobile',
    'ios',
    'Edge',
  ],
  [
    'Opera on Windows',
    `${WINDOWS} Chrome/122.0.0.0 Safari/537.36 OPR/108.0.0.0`,
    'desktop',
    'windows',
    'Opera',
  ],
  ['Opera on iPhone', `${IPHONE} OPiOS/16.0.15 Mobile/15E148 Safari/9537.53`, 'mobile', 'ios', 'Opera'],
  ['Opera Touch', `${IPHONE} Version/17.4 Mobile/15E148 Safari/604.1 OPT/4.6.1`, 'mobile', 'ios', 'Opera'],
  [
    'Opera Mini, which does not say Mobile',
    'Opera/9.80 (Android; Opera Mini/36.2/119.132; U; id) Presto/2.12.423 Version/12.16',
    'tablet',
    'android',
    'Opera',
  ],
  [
    'Samsung Internet',
    `Mozilla/5.0 (Linux; Android 13; SM-S908B) ${KHTML} SamsungBrowser/24.0 Chrome/117.0.0.0 Mobile Safari/537.36`,
    'mobile',
    'android',
    'Samsung Internet',
  ],
  ['Yandex', `${WINDOWS} Chrome/122.0.0.0 YaBrowser/24.4.0.0 Safari/537.36`, 'desktop', 'windows', 'Yandex'],
  ['Brave', `${WINDOWS} Chrome/124.0.0.0 Safari/537.36 Brave/124`, 'desktop', 'windows', 'Brave'],
  [
    'Vivaldi',
    `Mozilla/5.0 (X11; Linux x86_64) ${KHTML} Chrome/122.0.0.0 Safari/537.36 Vivaldi/6.6.3271.57`,
    'desktop',
    'linux',
    'Vivaldi',
  ],
  [
    'Firefox on Windows',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:125.0) Gecko/20100101 Firefox/125.0',
    'desktop',
    'windows',
    'Firefox',
  ],
  [
    'Firefox on Mac',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:125.0) Gecko/20100101 Firefox/125.0',
    'desktop',
    'macos',
    'Firefox',
  ],
  [
    'Firefox on Android',
    'Mozilla/5.0 (Android 14; Mobile; rv:125.0) Gecko/125.0 Firefox/125.0',
    'mobile',
    'android',
    'Firefox',
  ],
  [
    'Firefox on an Android tablet',
    'Mozilla/5.0 (Android 14; Tablet; rv:125.0) Gecko/125.0 Firefox/125.0',
    'tablet',
    'android',
    'Firefox',
  ],
  ['Firefox on iPhone', `${IPHONE} FxiOS/125.0 Mobile/15E148 Safari/605.1.15`, 'mobile', 'ios', 'Firefox'],
  [
    'Chrome on an iPad that asks for desktop sites',
    `${MAC} CriOS/147 Version/11.1.1 Safari/605.1.15`,
    'desktop',
    'ios',
    'Chrome',
  ],
  [
    'Edge on an iPad that asks for desktop sites',
    `${MAC} Version/18.0 EdgiOS/140.0.0.0 Safari/604.1`,
    'desktop',
    'ios',
    'Edge',
  ],
  [
    'Firefox on an iPad that asks for desktop sites',
    `${MAC} FxiOS/140.0 Safari/605.1.15`,
    'desktop',
    'ios',
    'Firefox',
  ],
  ['Safari on Mac', `${MAC} Version/17.4.1 Safari/605.1.15`, 'desktop', 'macos', 'Safari'],
  ['Safari on iPhone', `${IPHONE} Version/17.4.1 Mobile/15E148 Safari/604.1`, 'mobile', 'ios', 'Safari'],
  ['Safari on iPad', `${IPAD} Version/17.4.1 Mobile/15E148 Safari/604.1`, 'tablet', 'ios', 'Safari'],
  [
    'Safari on iPod',
    'Mozilla/5.0 (iPod touch; CPU iPhone OS 12_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/12.0 Mobile/15E148 Safari/604.1',
    'mobile',
    'ios',
    'Safari',
  ],
  [
    'Internet Explorer 11',
    'Mozilla/5.0 (Windows NT 6.1; WOW64; Trident/7.0; rv:11.0) like Gecko',
    'desktop',
    'windows',
    'IE',
  ],
  [
    'Internet Explorer 10',
    'Mozilla/5.0 (compatible; MSIE 10.0; Windows NT 6.2; WOW64; Trident/6.0)',
    'desktop',
    'windows',
    'IE',
  ],
  [
    'Instagram on iPhone',
    `${IPHONE} Mobile/21E236 Instagram 324.0.3.27.50 (iPhone14,5; iOS 17_4; en_US; en; scale=3.00; 1170x2532)`,
    'mobile',
    'ios',
    'Other',
  ],
  [
    'Facebook on iPhone',
    `${IPHONE} Mobile/15E148 [FBAN/FBIOS;FBAV/453.0.0.38.110;FBDV/iPhone14,5;FBSN/iOS;FBOP/80]`,
    'mobile',
    'ios',
    'Other',
  ],
  ['LinkedIn on iPhone', `${IPHONE} Mobile/15E148 [LinkedInApp]/9.29.5010`, 'mobile', 'ios', 'Other'],
  ['the Google app on iPhone', `${IPHONE} GSA/309.1 Mobile/15E148 Safari/604.1`, 'mobile', 'ios', 'Other'],
  [
    'a browser and system that no list has',
    'Mozilla/5.0 (Haiku x86_64; rv:1.0) Goanna/20240101 Tomsk/9.8.0.1',
    'desktop',
    'other',
    'Other',
  ],
]

const BOTS = [
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)',
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)',
  'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
  'Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)',
  'Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)',
  'Twitterbot/1.0',
  'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)',
  'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  'TelegramBot (like TwitterBot)',
  'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  'Mediapartners-Google',
  'Mozilla/5.0 (compatible; Embedly/0.2; +http://support.embed.ly/)',
  'FeedFetcher-Google; (+http://www.google.com/feedfetcher.html)',
  'WhatsApp/2.23.20.0 A',
  'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5',
  'curl/8.5.0',
  'Wget/1.21.4',
  'python-requests/2.31.0',
  'Go-http-client/2.0',
  'Java/17.0.9',
  'okhttp/4.12.0',
  'axios/1.6.8',
  'node-fetch/1.0 (+https://github.com/bitinn/node-fetch)',
  `Mozilla/5.0 (X11; Linux x86_64) ${KHTML} HeadlessChrome/124.0.6367.60 Safari/537.36`,
  `Mozilla/5.0 (X11; Linux x86_64) ${KHTML} Chrome/124.0.0.0 Safari/537.36 Puppeteer`,
  'Mozilla/5.0 (Unknown; Linux x86_64) AppleWebKit/538.1 (KHTML, like Gecko) PhantomJS/2.1.1 Safari/538.1',
  `${WINDOWS} Chrome/124.0.0.0 Safari/537.36 selenium/4`,
  `${ANDROID} Chrome/124.0.0.0 Mobile Safari/537.36 Chrome-Lighthouse`,
  `${WINDOWS} Chrome/124.0.0.0 Safari/537.36 Google PageSpeed Insights`,
  'Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 10.0; WOW64; Trident/7.0; .NET4.0C; ms-office; MSOffice 16)',
  'Mozilla/4.0 (compatible; ms-office; MSOffice rmj)',
  'Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.5134; Pro)',
  'Microsoft Office Word 2014',
  'Mozilla/5.0 (Windows NT; Windows NT 10.0; en-US) WindowsPowerShell/5.1.19041.1',
  'Mozilla/5.0 (Windows NT 10.0; Microsoft Windows 10.0.19045; en-US) PowerShell/7.4.1',
  'Dart/3.1 (dart:io)',
  'Mozilla/5.0 (linux) AppleWebKit/537.36 (KHTML, like Gecko) jsdom/22.1.0',
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Amzn-User/0.1) Chrome/119.0.6045.214 Safari/537.36',
  `${WINDOWS} Chrome/100.0.4896.127 Safari/537.36 Barracuda Sentinel (EE)`,
  `Mozilla/5.0 (X11; Linux x86_64) ${KHTML} Chrome/117.0.0.0 Safari/537.36 GTmetrix`,
]

// The words of L13.2, each inside a string that otherwise belongs to a person.
const CONTRACT_WORDS = [
  'bot',
  'crawl',
  'spider',
  'slurp',
  'facebookexternalhit',
  'mediapartners',
  'embedly',
  'feedfetcher',
  'whatsapp',
  'skypeuri',
  'preview',
  'curl/',
  'wget/',
  'python-requests',
  'go-http-client',
  'java/',
  'okhttp',
  'axios/',
  'node-fetch',
  'headlesschrome',
  'puppeteer',
  'phantomjs',
  'selenium',
  'lighthouse',
  'pagespeed',
]

const phone = (name: string) =>
  `Mozilla/5.0 (Linux; Android 13; ${name}) ${KHTML} Chrome/122.0.0.0 Mobile Safari/537.36`

const MISSING = { isBot: true, deviceType: null, os: null, browser: null }

describe('L13.2d, L13.2c, L13.2b: devices and browsers of people', () => {
  test.each(PEOPLE)(
    '%s is recognised by device, system and browser, and is no bot',
    (_, userAgent, ...expected) => {
      const [deviceType, os, browser] = expected
      expect(classifyUserAgent(userAgent) as unknown).toEqual({ isBot: false, deviceType, os, browser })
    },
  )

  test('Microsoft is not ChromeOS', () => {
    expect(classifyUserAgent('Mozilla/5.0 (compatible; Microsoft Thing 2.0; rv:1.0) Tomsk/9.8.0.1').os).toBe(
      'other',
    )
  })

  test('Android, Windows and Linux are found in lower case too', () => {
    expect(classifyUserAgent('Something (android 4.2; en) Mobile')).toMatchObject({
      deviceType: 'mobile',
      os: 'android',
    })
    expect(classifyUserAgent('Something (windows nt 10.0; en)').os).toBe('windows')
    expect(classifyUserAgent('Something (x11; linux i686; en)').os).toBe('linux')
  })

  test('Safari without a version is not called Safari', () => {
    expect(classifyUserAgent(`${IPHONE} Mobile/15E148 Safari/604.1`).browser).toBe('Other')
  })
})

describe('bots', () => {
  test.each(BOTS)('%s is a bot', (userAgent) => {
    expect(classifyUserAgent(userAgent).isBot).toBe(true)
  })

  test.each(CONTRACT_WORDS)('%s makes a bot in any case and at any place', (word) => {
    const person = `${WINDOWS} Chrome/124.0.0.0 Safari/537.36`
    expect(classifyUserAgent(person).isBot).toBe(false)
    for (const written of [word, word.toUpperCase(), word[0]!.toUpperCase() + word.slice(1)]) {
      expect(classifyUserAgent(`${person} x${written} y`).isBot).toBe(true)
      expect(classifyUserAgent(`${written} ${person}`).isBot).toBe(true)
    }
  })

  test.each([
    'CUBOT NOTE 21',
    'Cubot X30 Build/TP1A.220624.014; wv',
    'Discovery_A10',
    'Discovery SE',
    'Spider 8',
    'Arcelik Google TV Build/RTM6.230109.257; wv',
    'Robotic One',
    'Botany 3',
  ])('L13.2a: the name of a phone makes no bot: %s', (name) => {
    expect(classifyUserAgent(phone(name))).toMatchObject({ isBot: false, os: 'android', browser: 'Chrome' })
    expect(classifyUserAgent(phone(name).replace(' Chrome/', ' Googlebot/2.1 Chrome/')).isBot).toBe(true)
  })

  test.each([
    'Storebot-Google/1.0',
    'compatible; Somebot/1.0',
    'Somebot; +https://bot.example/',
    'bot@bot.example',
  ])('L13.2a: a crawler that describes itself in the place of a phone is a bot: %s', (name) =>
    expect(classifyUserAgent(phone(name)).isBot).toBe(true),
  )

  test('L13.2: bot counts only at the end of a word', () => {
    const person = `${WINDOWS} Chrome/124.0.0.0 Safari/537.36`
    expect(classifyUserAgent(`${person} Botany/3`).isBot).toBe(false)
    expect(classifyUserAgent(`${person} Anybot/3`).isBot).toBe(true)
  })

  test('L13.2: a long agent of open comments is classified at once', () => {
    const started = performance.now()
    for (const part of ['(Linux;Android', '(Linux;', 'Android', '@bot', 'compatible'])
      classifyUserAgent(part.repeat(64_000 / part.length))
    expect(performance.now() - started).toBeLessThan(2_000)
  })

  test('a maintained list adds bots that the contract does not name', () => {
    expect(classifyUserAgent('Postman/10.0 Runtime').isBot).toBe(true)
    expect(classifyUserAgent('HTTrack 3.0x (Windows 98)').isBot).toBe(true)
  })

  test('a missing or blank user agent is a bot without device, system and browser', () => {
    for (const userAgent of [null, '', ' ', '\t', ' \n ', '\u00a0']) {
      expect(classifyUserAgent(userAgent)).toEqual(MISSING)
    }
  })

  test('a bot still has a device, a system and a browser', () => {
    expect(classifyUserAgent(BOTS[25]!)).toEqual({
      isBot: true,
      deviceType: 'desktop',
      os: 'linux',
      browser: 'Chrome',
    })
  })
})

describe('any string', () => {
  test('is classified without throwing, and with the same result the second time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 1200 }), (userAgent) => {
        const facts = classifyUserAgent(userAgent)
        expect(classifyUserAgent(userAgent)).toEqual(facts)
        expect(facts.deviceType === null).toBe(userAgent.trim() === '')
      }),
    )
  })

  test('that contains a word of the list is a bot, whatever surrounds the word', () => {
    const words = fc.constantFrom(...CONTRACT_WORDS.slice(1))
    fc.assert(
      fc.property(fc.string(), words, fc.string(), (before, word, after) => {
        expect(classifyUserAgent(before + word + after).isBot).toBe(true)
      }),
    )
  })

  test('is classified the same after more user agents than the cache holds', () => {
    const [, userAgent] = PEOPLE[0]!
    const before = classifyUserAgent(userAgent)
    for (let i = 0; i < 10_500; i++) classifyUserAgent(`Thing/${i}.0 Mobile`)
    expect(classifyUserAgent(userAgent)).toEqual(before)
  })
})
