/** Whether anything of it can be seen. Some blanks are no white space: they are letters without a shape. */
export function isVisible(text: string): boolean {
  return /[^\p{Z}\p{Cc}\p{Cf}\p{Co}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text)
}
