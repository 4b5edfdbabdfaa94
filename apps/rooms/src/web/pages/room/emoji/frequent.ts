const STORED = 'latchkey:emoji'

/** Shown until the user has chosen others. */
const FIRST = ['👍', '❤️', '😄', '🎉', '🙏', '👀', '✅', '🚀']

/** The emoji that this user has chosen last in this browser, then common ones. */
export function frequentEmoji(): string[] {
  return [...new Set([...readStored(), ...FIRST])].slice(0, FIRST.length)
}

export function rememberEmoji(emoji: string): void {
  const latest = [...new Set([emoji, ...readStored()])].slice(0, FIRST.length)
  try {
    localStorage.setItem(STORED, latest.join(' '))
  } catch {
    // A browser without storage remembers none.
  }
}

function readStored(): string[] {
  try {
    return (localStorage.getItem(STORED) ?? '').split(' ').filter((emoji) => emoji !== '')
  } catch {
    return []
  }
}
