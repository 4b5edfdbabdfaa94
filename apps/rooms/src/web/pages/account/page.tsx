import { Stack } from '@mantine/core'
import { useUser } from '../../session.ts'
import { Notifications } from './notifications.tsx'
import { OwnData } from './own-data.tsx'
import { Profile } from './profile.tsx'
import { Sessions } from './sessions.tsx'
import { SignOut } from './sign-out.tsx'

export default function AccountPage() {
  const user = useUser()
  return (
    <Stack gap="lg" maw={720}>
      <Profile user={user} />
      <Notifications />
      <SignOut />
      <Sessions />
      {user.identityType === 'oauth' && <OwnData />}
    </Stack>
  )
}
