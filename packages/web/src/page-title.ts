let title = ''
let count = 0
let notice: string | undefined

/** Sets the title of the page in its tab. */
export function setPageTitle(next: string): void {
  title = next
  write()
}

/** Sets the number before the title, such as of unread messages; 0 for none. */
export function setTitleCount(next: number): void {
  count = next
  write()
}

/** Shows a notice in the place of the title, such as of a call; undefined ends it. */
export function setTitleNotice(next: string | undefined): void {
  notice = next
  write()
}

function write(): void {
  document.title = notice ?? (count === 0 ? title : `(${count}) ${title}`)
}
