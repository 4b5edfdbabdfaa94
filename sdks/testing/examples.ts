/** An example of a README: its lines, and the output stated in its comments. */
export interface Example {
  code: string
  prints: string[]
}

/**
 * All examples in one language, as one continuous text: each continues the one before. A comment
 * after `console.log(…)` or `print(…)` states its output.
 */
export function examplesIn(markdown: string, language: 'ts' | 'python'): Example[] {
  const blocks = [...markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
  return blocks
    .filter(([, of]) => of === language)
    .map(([, , code = '']) => ({
      code,
      prints: [...code.matchAll(/(?:console\.log|print)\(.*\)\s+(?:\/\/|#) (.*)$/gm)].map(
        ([, output = '']) => output,
      ),
    }))
}
