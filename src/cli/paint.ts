/** Colours for people at a terminal: none where the output goes elsewhere, or NO_COLOR says so. */
import { styleText } from 'node:util'

export type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow'

export type Paint = (style: Style, text: string) => string

/** Asks the stream and the environment (NO_COLOR, FORCE_COLOR) at each call, as node:util does. */
export const paintForStdout: Paint = (style, text) => styleText(style, text, { stream: process.stdout })
