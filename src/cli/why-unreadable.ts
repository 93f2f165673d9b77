/** Why a file or a folder cannot be read, in words for people. */
export function whyUnreadable(error: unknown, kind: 'file' | 'folder'): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT') return `there is no such ${kind}.`
  if (code === 'EACCES') return 'the user who runs this may not read it.'
  if (code === 'ENOTDIR' && kind === 'folder') return 'it is no folder.'
  return error instanceof Error ? error.message : String(error)
}
