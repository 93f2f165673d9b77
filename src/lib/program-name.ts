/** The command line's name, as its user types it: messages and help texts that name a command can be pasted into a shell. */

/** A package has JavaScript and puts the command on the PATH; a checkout has TypeScript, and its commands are typed in its folder. */
export const PROGRAM = import.meta.filename.endsWith('.ts') ? 'bin/envelog' : 'envelog'
