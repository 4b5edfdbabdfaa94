import { createHash } from 'node:crypto'
import type { Context } from 'oidc-provider'
import { type DemoUser, users } from './users.ts'

// The colours of the clients (docs/design.md).
const STYLE = `
:root { color-scheme: light dark; --ink: #141a28; --soft: #565c6a; --ground: #f7f8fa; --card: #fff; --line: #7a808d;
  --accent: #2750c2; --notice: #fff7eb; --notice-line: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e5e8ed; --soft: #a3abbb; --ground: #0f1522; --card: #161d2c;
  --line: #727a8d; --accent: #9dbdff; --notice: #3a2b17; --notice-line: #f0bd63; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: .875rem/1.5 Inter, system-ui, sans-serif; }
main { max-width: 30rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; overflow-wrap: anywhere; }
h1 { font-size: 1.25rem; font-weight: 600; line-height: 1.3; margin: 1.25rem 0 .5rem; }
.notice { margin: 0; padding: .75rem 1rem; background: var(--notice); border: 1px solid var(--notice-line); border-radius: .5rem; }
form { display: grid; gap: .75rem; margin: 1.25rem 0 0; }
button { font: inherit; color: inherit; text-align: left; min-height: 2.75rem; padding: .6rem 1rem; cursor: pointer;
  background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
button:hover { border-color: var(--accent); }
button:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
button strong, button span { display: block; }
strong { font-weight: 500; }
button span, .soft { color: var(--soft); }
button.plain { background: none; text-align: center; }
`

interface Page {
  readonly title: string
  /** Markup, with all text from outside escaped. */
  readonly content: string
}

/**
 * Allows only the style above, and forms that end at the demo itself or, by redirects, at its
 * client.
 */
export function contentSecurityPolicy(clientOrigins: readonly string[]): string {
  const style = createHash('sha256').update(STYLE).digest('base64')
  return [
    `default-src 'none'`,
    `style-src 'sha256-${style}'`,
    `form-action ${["'self'", ...clientOrigins].join(' ')}`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ')
}

/** Sends a page with the current status. */
export function show(context: Context, { title, content }: Page): void {
  context.type = 'html'
  context.body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} - Latchkey demo</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<p class="notice"><strong>Demo identity provider.</strong> It runs only on this machine and asks for no password. Don’t use
it in production.</p>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`
}

/** The choice of a user. `current` is the user of this browser's session. */
export function choicePage(current: DemoUser | undefined): Page {
  const buttons = users.map(
    ({ id, name, email, teams }) => `<button name="account" value="${Bun.escapeHTML(id)}">
<strong>Continue as ${Bun.escapeHTML(name)}</strong>
<span>${Bun.escapeHTML([email, ...teams.map((team) => `${team.role} of ${team.name}`)].join(', '))}</span>
</button>`,
  )
  const already = current ? `<p>This browser is signed in as ${Bun.escapeHTML(current.name)}.</p>` : ''
  return {
    title: 'Sign in',
    content: `${already}<p class="soft">Choose a user.</p>
<form method="post">
${buttons.join('\n')}
<button class="plain" name="cancel" value="yes">Cancel</button>
</form>`,
  }
}

/** The confirmation before a sign-out. `form` is the provider's own, with its id. */
export function signOutPage(form: string, current: DemoUser | undefined): Page {
  return {
    title: 'Sign out',
    content: `<p>This browser is signed in as ${Bun.escapeHTML(current?.name ?? 'a demo user')}.
To stay signed in, leave this page.</p>
${form.replace('</form>', '<button class="plain" name="logout" value="yes">Sign out</button></form>')}`,
  }
}

export function signedOutPage(): Page {
  return {
    title: 'Signed out',
    content: '<p>This browser is signed out of the demo identity provider. You can close this page.</p>',
  }
}

export function errorPage(title: string, sentence: string): Page {
  return {
    title: Bun.escapeHTML(title),
    content: `<p>${Bun.escapeHTML(sentence)}</p>
<p class="soft">Go back to the service you came from and try again.</p>`,
  }
}

/** The page for browsers that no client sent. */
export function frontPage(): Page {
  const names = new Intl.ListFormat('en', { type: 'disjunction' }).format(users.map(({ name }) => name))
  return {
    title: 'Latchkey demo',
    content: `<p>Latchkey started this provider because none is configured. It signs users in to Latchkey Rooms as ${names}.</p>
<p>In production, set <code>AUTH_PROVIDER</code> and the settings that it requires. This provider then won’t
start.</p>`,
  }
}
