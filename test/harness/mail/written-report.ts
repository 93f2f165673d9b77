/** Bounce messages and feedback reports as mail servers and providers write them, with the contents that a test needs. */

export interface WrittenOutcome {
  readonly recipient: string
  readonly action?: string
  readonly status?: string
  readonly diagnostic?: string
  readonly originalRecipient?: string
}

export interface WrittenReport {
  /** The address that it is sent to. */
  readonly to?: string
  readonly timeMs?: number
  readonly envelopeId?: string
  readonly outcomes?: readonly WrittenOutcome[]
  /** Header lines of the message that is returned. */
  readonly returned?: readonly string[]
}

export interface WrittenComplaint extends Omit<WrittenReport, 'outcomes'> {
  /** Lines of the report's own part. */
  readonly fields?: readonly string[]
}

export function writeDeliveryReport({ outcomes = [], envelopeId, ...report }: WrittenReport): Buffer {
  const blocks = outcomes.map(
    ({
      recipient,
      action = 'failed',
      status = '5.1.1',
      diagnostic = 'smtp; 550 5.1.1 no such user',
      originalRecipient,
    }) =>
      [
        ...(originalRecipient === undefined ? [] : [`Original-Recipient: rfc822;${originalRecipient}`]),
        `Final-Recipient: rfc822; ${recipient}`,
        `Action: ${action}`,
        `Status: ${status}`,
        `Diagnostic-Code: ${diagnostic}`,
      ].join('\n'),
  )
  const message = [
    ...(envelopeId === undefined ? [] : [`Original-Envelope-Id: ${envelopeId}`]),
    'Reporting-MTA: dns; mx.example.org',
  ]
  return write(report, 'delivery-status', [message.join('\n'), ...blocks].join('\n\n'))
}

export function writeComplaint({ fields = [], ...report }: WrittenComplaint): Buffer {
  return write(
    report,
    'feedback-report',
    ['Feedback-Type: abuse', 'User-Agent: Test/1', 'Version: 1', ...fields].join('\n'),
  )
}

function write(
  { to = 'bounces@acme.test', timeMs = Date.now(), returned = [] }: WrittenReport,
  type: string,
  part: string,
): Buffer {
  const text = `From: MAILER-DAEMON@mx.example.org
To: <${to}>
Date: ${new Date(timeMs).toUTCString()}
Subject: Report
MIME-Version: 1.0
Content-Type: multipart/report; report-type=${type}; boundary="part"

--part
Content-Type: text/plain

For people.

--part
Content-Type: message/${type}

${part}

--part
Content-Type: text/rfc822-headers

${returned.join('\n')}

--part--
`
  return Buffer.from(text.replaceAll('\n', '\r\n'))
}
