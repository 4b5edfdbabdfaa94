import { Stack } from '@mantine/core'
import { useUser } from '../../session.ts'
import { Blocks } from './blocks.tsx'
import { Notifications } from './notifications.tsx'
import { OwnData } from './own-data.tsx'
import { Profile } from './profile.tsx'
import { Sessions } from './sessions.tsx'
import { SignOut } from './sign-out.tsx'

export default function AccountPage() {
  const user = useUser()
  const isMember = user.identityType === 'oauth'
  return (
    <Stack gap="lg" maw={720}>
      <Profile user={user} />
      <Notifications />
      {isMember && <Blocks />}
      <SignOut />
      <Sessions />
      {isMember && <OwnData />}
    </Stack>
  )
}
