/** Why a file or a folder cannot be read, as the end of a sentence. */
export function whyUnreadable(error: unknown, kind: 'file' | 'folder'): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT') return `there is no such ${kind}.`
  if (code === 'EACCES') return 'this user has no permission to read it.'
  if (code === 'ENOTDIR' && kind === 'folder') return 'it is not a folder.'
  return error instanceof Error ? error.message : String(error)
}
