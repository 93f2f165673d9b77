/** Text from elsewhere, such as records and names: control characters in it must not reach the terminal. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '?')
}
