/** A table that is sent with a query: the body of the request, and what has to be said about it. */
import type { SentTable } from './clickhouse.ts'

/** Random bytes cannot contain it by chance. */
const BOUNDARY = 'envelog-6f1f4a52-6a3e-4c41-9f0e-2f0c6a8d5b17'

export function toRequest({ name, columns, body }: SentTable) {
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"; filename="${name}"\r\n\r\n`
  return {
    body: Buffer.concat([Buffer.from(head), body, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]),
    contentType: `multipart/form-data; boundary=${BOUNDARY}`,
    settings: { [`${name}_structure`]: columns, [`${name}_format`]: 'RowBinary' },
  }
}
