/** Reassembles the messages of a TCP connection, each of which is preceded by its length in two bytes (RFC 1035 section 4.2.2). */

/** Chunks are joined only when a message is complete: a server that sends single bytes costs no more. */
export function readFrames(onMessage: (message: Buffer) => void): (chunk: Buffer) => void {
  let chunks: Buffer[] = []
  let size = 0
  let wanted = 2
  return (chunk) => {
    chunks.push(chunk)
    size += chunk.length
    while (size >= wanted) {
      let bytes = Buffer.concat(chunks)
      const end = 2 + bytes.readUInt16BE(0)
      if (size >= end) {
        onMessage(bytes.subarray(2, end))
        bytes = bytes.subarray(end)
      }
      chunks = [bytes]
      size = bytes.length
      wanted = size < 2 ? 2 : 2 + bytes.readUInt16BE(0)
    }
  }
}
