import { z } from 'zod'
import { AuditLine } from '../audit/schema.ts'
import { OwnStatus } from '../people/schema.ts'
import { NotificationSettings } from '../notifications/schema.ts'
import { ListedSession } from '../sessions/schema.ts'
import { User } from '../users/schema.ts'
import { Moment } from '../api/wire.ts'
import { ExportedRooms } from './rooms.ts'

export const Confirmation = z.object({ confirm: z.literal(true) })

/** All data stored about a user, under self-explanatory names. */
export const AccountExport = z
  .object({
    exportedAt: Moment,
    user: User.extend({ createdAt: Moment, lastSeenAt: Moment }),
    identity: z.object({ issuer: z.string(), subject: z.string(), mode: z.string(), createdAt: Moment }),
    grants: z.array(
      z.object({
        role: z.string(),
        scopeType: z.string(),
        scopeId: z.string(),
        source: z.string(),
        createdAt: Moment,
      }),
    ),
    sessions: z.array(
      ListedSession.extend({
        address: z.string(),
        endedAt: Moment.nullable(),
        endReason: z.string().nullable(),
        pushEndpoint: z
          .string()
          .nullable()
          .meta({ description: 'Where notifications of this browser are sent.' }),
      }),
    ),
    notifications: NotificationSettings,
    profile: z.object({
      title: z.string().nullable(),
      timeZone: z.string().nullable(),
      picture: z
        .object({ url: z.string(), bytes: z.int(), sha256: z.string() })
        .nullable()
        .meta({ description: 'The profile picture, as it is stored.' }),
      status: OwnStatus,
    }),
    blocks: z.array(z.object({ userId: z.string(), createdAt: Moment })).meta({
      description: 'The people whom the person blocks.',
    }),
    access: z
      .object({
        email: z.string().nullable(),
        groups: z.array(z.string()).nullable(),
        mayEnter: z.boolean(),
      })
      .nullable()
      .meta({ description: 'What the last sign-in said for services behind the access layer.' }),
    rooms: ExportedRooms,
    activity: z.array(AuditLine).meta({ description: 'Audit log entries of actions of the person.' }),
  })
  .meta({ id: 'AccountExport' })
export type AccountExport = z.output<typeof AccountExport>
