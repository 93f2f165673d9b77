/** Colours for a terminal; none if the output goes elsewhere or NO_COLOR is set. */
import { styleText } from 'node:util'

export type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow'

export type Paint = (style: Style, text: string) => string

/** node:util checks the stream and the environment (NO_COLOR, FORCE_COLOR) at each call. */
export const paintForStdout: Paint = (style, text) => styleText(style, text, { stream: process.stdout })
