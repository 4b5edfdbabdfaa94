/** Pixels. Icons are displayed with 16 to 20, on dense screens with three times as many. */
const BEST_SIZE = 64
/** Pixels that a link without a size is assumed to have. */
const USUAL_SIZE = 32

interface IconLink {
  href: string
  size: number
}

/**
 * The URLs of a page's icons, the best first: the largest up to `BEST_SIZE`, then the smallest
 * above. Icons that declare themselves to be SVG are left out.
 */
export async function findIconUrls(html: string, pageUrl: URL): Promise<URL[]> {
  // Imported with the first page: its entity tables would slow down every start.
  const { decodeHTMLAttribute } = await import('entities/decode')
  return readIconLinks(html)
    .toSorted((a, b) => excessOf(a) - excessOf(b) || b.size - a.size)
    .flatMap(({ href }) => URL.parse(decodeHTMLAttribute(href).trim(), pageUrl) ?? [])
    .filter(({ pathname }) => !pathname.toLowerCase().endsWith('.svg'))
}

function readIconLinks(html: string): IconLink[] {
  const links: IconLink[] = []
  new HTMLRewriter()
    .on('link[rel][href]', {
      element(element) {
        const attribute = (name: string) => (element.getAttribute(name) ?? '').toLowerCase()
        const isIcon = attribute('rel').split(/\s+/).includes('icon')
        if (!isIcon || attribute('type').startsWith('image/svg')) return
        links.push({ href: element.getAttribute('href') ?? '', size: largestOf(attribute('sizes')) })
      },
    })
    .transform(html)
  return links
}

/** The largest of sizes such as `16x16 32x32`, in pixels. */
function largestOf(sizes: string): number {
  const pixels = Array.from(sizes.matchAll(/(\d{1,4})x\d/g), ([, width]) => Number(width))
  return pixels.length === 0 ? USUAL_SIZE : Math.max(...pixels)
}

function excessOf({ size }: IconLink): number {
  return Math.max(0, size - BEST_SIZE)
}
