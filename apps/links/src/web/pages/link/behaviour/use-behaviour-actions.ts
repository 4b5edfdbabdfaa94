import { withUndo } from '@latchkey/web/parts/undo'
import { showError, showSuccess } from '@latchkey/web/toast'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { reply } from '../../../call.ts'
import { invalidate } from '../../../queries.ts'
import { useText } from '../../../texts/text.ts'
import type { Link } from '../link.ts'
import {
  type BehaviourControls,
  type Snapshot,
  ifVersion,
  isReversible,
  writeBehaviour,
} from './behaviour.ts'
import type { Behaviour, NewBehaviour, Rule } from '../../../parts/behaviour/types.ts'

/** Shows that a behaviour was saved, with an undo that fails if anyone has changed the link since. */
export function useSavedToast({ id }: Pick<Link, 'id'>) {
  const { t, failure } = useText()
  const restore = async ({ behaviour }: Snapshot, version: string | undefined) => {
    try {
      await writeBehaviour(id, behaviour, version)
    } catch (error) {
      showError(failure(error), t('shell.close'))
    } finally {
      await invalidate('links')
    }
  }
  return (text: string, before: Snapshot, after: Snapshot) => {
    if (!isReversible(before.behaviour, after.behaviour)) return showSuccess(text)
    withUndo(t, text, { act() {}, undo: () => void restore(before, after.version) })
  }
}

interface Change {
  change: (behaviour: Behaviour) => NewBehaviour
  /** Text of the toast with the undo. A move has none: the same keys move the rule back. */
  text?: string
}

function withRules({ rules: _, ...rest }: Behaviour, rules: Rule[]): NewBehaviour {
  return rules.length === 0 ? rest : { ...rest, rules }
}

/** Changes that apply at once. They appear before they are saved, and are saved one after another. */
export function useBehaviourActions({ link, snapshot }: Pick<BehaviourControls, 'link' | 'snapshot'>) {
  const { t, failure } = useText()
  const showSaved = useSavedToast(link)
  const latest = useRef(snapshot)
  const [expected, setExpected] = useState<Behaviour | null>(null)
  const waiting = useRef(0)
  useEffect(() => {
    if (waiting.current === 0) latest.current = snapshot
  })
  const { mutate } = useMutation({
    scope: { id: `behaviour-${link.id}` },
    async mutationFn({ change, text }: Change) {
      const before = latest.current
      latest.current = await writeBehaviour(link.id, change(before.behaviour), before.version)
      if (text !== undefined) showSaved(text, before, latest.current)
    },
    onError: (error) => showError(failure(error), t('shell.close')),
    async onSettled() {
      await invalidate('links')
      waiting.current -= 1
      if (waiting.current === 0) setExpected(null)
    },
  })
  const current = expected ?? snapshot.behaviour
  const perform = (change: Change) => {
    waiting.current += 1
    setExpected(change.change(current) as Behaviour)
    mutate(change)
  }
  return {
    current,
    move: (from: number, to: number) =>
      perform({
        change: (behaviour) => {
          const rules = behaviour.rules ?? []
          return withRules(
            behaviour,
            rules.toSpliced(from, 1).toSpliced(to, 0, ...rules.slice(from, from + 1)),
          )
        },
      }),
    removeRule: (index: number) =>
      perform({
        text: t('behaviour.ruleRemoved'),
        change: (behaviour) => withRules(behaviour, (behaviour.rules ?? []).toSpliced(index, 1)),
      }),
    removeSplit: () =>
      perform({
        text: t('behaviour.splitRemoved'),
        change: ({ split: _, sticky: __, ...rest }) => rest,
      }),
  }
}

/** Ends a split with one of its parts. */
export function usePromotion({ link, snapshot }: Pick<BehaviourControls, 'link' | 'snapshot'>) {
  const { t, failure } = useText()
  const { mutate: run } = useMutation({
    mutationFn: (act: () => Promise<unknown>) => act(),
    onError: (error) => showError(failure(error), t('shell.close')),
    onSettled: () => invalidate('links'),
  })
  const params = { id: link.id }
  const restore = async (version: string | undefined) => {
    const { headers } = await reply('updateLink', { params, body: { url: link.url } }, ifVersion(version))
    await writeBehaviour(link.id, snapshot.behaviour, headers.get('ETag') ?? undefined)
  }
  return (variant: string) =>
    run(async () => {
      const input = { params, body: { variant } }
      const { headers } = await reply('promoteVariant', input, ifVersion(snapshot.version))
      const version = headers.get('ETag') ?? undefined
      withUndo(t, t('behaviour.promoted'), { act() {}, undo: () => run(() => restore(version)) })
    })
}
