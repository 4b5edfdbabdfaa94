let title = ''
let count = 0

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

function write(): void {
  document.title = count === 0 ? title : `(${count}) ${title}`
}
