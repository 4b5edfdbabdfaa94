import { z } from 'zod'

/** The data of operations that a client needs. */
export const things = [
  {
    id: 'nameThing',
    methods: ['POST'],
    path: '/things/{id}',
    params: z.object({ id: z.string() }),
    body: z.object({ name: z.string() }),
    result: z.object({ name: z.string() }),
  },
] as const
