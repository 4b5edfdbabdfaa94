import { Alert, Button, Progress, Skeleton } from '@mantine/core'
import { Notice } from '@latchkey/web/parts/notice'
import { RowSkeletons } from '@latchkey/web/parts/skeletons'
import { ErrorNotice } from '@latchkey/web/shell/error-boundary'
import { Section } from './section.tsx'

export function States() {
  return (
    <>
      <Section title="Notices">
        <Alert title="You were signed out">Your session expired. Sign in again to continue.</Alert>
        <Alert color="orange" title="Connection lost">
          Reconnecting…
        </Alert>
        <Alert color="red" title="You’re not signed in">
          The identity provider refused the sign-in.
        </Alert>
      </Section>
      <Section title="Empty and error states">
        <Notice
          title="No links yet"
          help="Paste an address to create the first one."
          action={<Button>New link</Button>}
        />
        <Notice title="No results" />
        <ErrorNotice error={new Error('The service does not answer.')} onRetry={() => {}} />
      </Section>
      <Section title="Loading">
        <RowSkeletons rows={3} label="Loading links" />
        <Skeleton height={120} />
        <Progress value={40} aria-label="Import" />
      </Section>
    </>
  )
}
