import { useText } from '../../texts/text.ts'
import type { Policy } from './types.ts'

export function useProgramName() {
  const { t } = useText()
  return ({ assistant, name }: Policy) => {
    if (name !== null) return name
    if (assistant === 'local') return t('policies.local')
    if (assistant === 'access') return t('policies.access')
    if (assistant === 'client') return t('policies.unnamed')
    if (assistant === 'default') return t('policies.default')
    return t('policies.client', { id: assistant.replace('client:', '') })
  }
}
