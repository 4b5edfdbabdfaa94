import { Stack } from '@mantine/core'
import { useUser } from '../session.ts'
import { OwnData } from './account/own-data.tsx'
import { Profile } from './account/profile.tsx'
import { Sessions } from './account/sessions.tsx'
import { SignOut } from './account/sign-out.tsx'

export default function AccountPage() {
  const user = useUser()
  return (
    <Stack gap="lg" maw={720}>
      <Profile user={user} />
      <SignOut />
      <Sessions />
      {user.identityType === 'oauth' && <OwnData />}
    </Stack>
  )
}
