/** Pixels and links: the part of their addresses that we make, and what comes back. */
import { Type } from 'typebox'

export const TokenParams = Type.Object({
  token: Type.String({
    description: 'Signed when the message was made: message, recipient and, of a link, its target.',
  }),
})

/** One transparent pixel; the smallest GIF that every mail program takes. */
export const PIXEL = Buffer.from('R0lGODlhAQABAIAAAP///wAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')

/** For a person who followed a link that is none of ours, or was cut off on its way. */
export const NOT_FOUND_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Link not found</title>
<h1>This link is not valid</h1>
<p>It may have been cut off when it was copied. Please go back to the message and follow the link there.</p>
</html>
`
