export interface Page {
  url: URL
  status: number
  headers: Headers
  html: string
  /** All addresses on the way to this page. The last one is its own. */
  trail: readonly URL[]
}

/**
 * A browser without scripts: stores cookies by host, follows redirects, and submits the forms that
 * it is shown.
 */
export class Person {
  readonly #jars = new Map<string, Map<string, string>>()

  /** Opens an address as by a click, and follows its redirects. */
  async visit(address: string | URL, form?: URLSearchParams): Promise<Page> {
    const trail: URL[] = []
    let [at, body] = [new URL(address), form]
    for (let step = 0; step < 20; step++) {
      trail.push(at)
      const response = await this.#send(at, {
        method: body ? 'POST' : 'GET',
        headers: { accept: 'text/html', ...BY_A_CLICK },
        ...(body && { body }),
      })
      const location = response.headers.get('location')
      const html = await response.text()
      if (location === null)
        return { url: at, status: response.status, headers: response.headers, html, trail }
      at = new URL(location, at)
      body = undefined
    }
    throw new Error(`Redirects do not end: ${trail.map(({ href }) => href).join(' ')}`)
  }

  /** Fills in the form of the page and presses the button with this label. */
  async press(page: Page, words: string, fields: Record<string, string> = {}): Promise<Page> {
    const { action, hidden, buttons } = await readForm(page.html)
    const button = buttons.find(({ text }) => text.includes(words))
    if (!button) throw new Error(`There is no button "${words}" at ${page.url.href}: ${page.html}`)
    const named = button.name === '' ? [] : [[button.name, button.value] as [string, string]]
    const form = new URLSearchParams([...hidden, ...Object.entries(fields), ...named])
    return this.visit(new URL(action, page.url), form)
  }

  /** Sends a request as a script of a page of this origin does. */
  call(origin: string, path: string, { method = 'GET', body, headers }: Call = {}): Promise<Response> {
    const isUnsafe = method !== 'GET'
    return this.#send(new URL(path, origin), {
      method,
      headers: {
        'sec-fetch-site': 'same-origin',
        'sec-fetch-mode': 'cors',
        ...(isUnsafe && { origin }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  }

  /** By name, as all pages of the host send them. */
  cookies(hostname: string): ReadonlyMap<string, string> {
    return this.#jars.get(hostname) ?? new Map()
  }

  async #send(url: URL, { headers, ...request }: Sent): Promise<Response> {
    const jar = this.#jars.get(url.hostname) ?? new Map<string, string>()
    this.#jars.set(url.hostname, jar)
    const cookie = [...jar].map((pair) => pair.join('=')).join('; ')
    const response = await fetch(url, {
      ...request,
      headers: { 'user-agent': 'Mozilla/5.0 (test)', ...(cookie && { cookie }), ...headers },
      redirect: 'manual',
    })
    for (const line of response.headers.getSetCookie()) keep(jar, line)
    return response
  }
}

interface Sent {
  method: string
  headers: Record<string, string>
  body?: string | URLSearchParams
}

interface Call {
  method?: string
  /** Sent as JSON. */
  body?: unknown
  headers?: Record<string, string>
}

const BY_A_CLICK = {
  'sec-fetch-site': 'same-origin',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
  'sec-fetch-user': '?1',
}

function keep(jar: Map<string, string>, line: string): void {
  const [, name = '', value = '', attributes = ''] = /^([^=]+)=([^;]*)(.*)$/.exec(line) ?? []
  const expires = Date.parse(/expires=([^;]+)/i.exec(attributes)?.[1] ?? '')
  if (/max-age=0\b/i.test(attributes) || expires < Date.now()) jar.delete(name)
  else jar.set(name, value)
}

interface Button {
  name: string
  value: string
  text: string
}

async function readForm(html: string) {
  const form = { action: '', hidden: [] as [string, string][], buttons: [] as Button[] }
  const read = (element: HTMLRewriterTypes.Element, name: string) =>
    (element.getAttribute(name) ?? '').replaceAll('&amp;', '&')
  await new HTMLRewriter()
    .on('form', { element: (element) => void (form.action = read(element, 'action')) })
    .on('input[type=hidden]', {
      element: (element) => void form.hidden.push([read(element, 'name'), read(element, 'value')]),
    })
    .on('button', {
      element: (element) =>
        void form.buttons.push({ name: read(element, 'name'), value: read(element, 'value'), text: '' }),
      text({ text }) {
        const last = form.buttons.at(-1)
        if (last) last.text += text
      },
    })
    .transform(new Response(html))
    .text()
  return form
}
