/** Pixels and links: the token in their addresses, and the responses. */
import * as t from '../../lib/json-schema.ts'

export const TokenParams = t.object({
  token: t.text('Contains message, recipient and, for a link, its target, signed when the message was rewritten.'),
})

/** One transparent pixel; the smallest GIF that every mail client accepts. */
export const PIXEL = Buffer.from('R0lGODlhAQABAIAAAP///wAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')

/** For a person who followed a link that is invalid, or was truncated. */
export const NOT_FOUND_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Link not found</title>
<h1>This link is not valid</h1>
<p>It may have been cut off when it was copied. Please go back to the message and follow the link there.</p>
</html>
`
