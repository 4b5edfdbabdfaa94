/** An example of a README: its lines, and what its comments say that it prints. */
export interface Example {
  code: string
  prints: string[]
}

/**
 * All examples in one language, as one text after another: each goes on where the one before ended. A comment behind
 * `console.log(…)` or `print(…)` is what is printed there.
 */
export function examplesIn(markdown: string, language: 'ts' | 'python'): Example[] {
  const blocks = [...markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
  return blocks
    .filter(([, of]) => of === language)
    .map(([, , code = '']) => ({
      code,
      prints: [...code.matchAll(/(?:console\.log|print)\(.*\)\s+(?:\/\/|#) (.*)$/gm)].map(
        ([, said = '']) => said,
      ),
    }))
}
