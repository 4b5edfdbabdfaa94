/** Boolean as both engines return it. */
export type Flag = 0 | 1
