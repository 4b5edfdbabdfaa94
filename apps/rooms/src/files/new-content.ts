import type { ContentFacts } from './store.ts'

/** A content that is complete on disk, with its thumbnail. */
export interface NewContent {
  path: string
  bytes: number
  facts: ContentFacts
  thumbnail?: string
}
