/** Explains an event in plain sentences: what happened, why, who has to act and what to do. */
import type { Actor, Meaning } from '../../classification/meaning/failure-meanings.ts'
import { readFailure } from '../../classification/meaning/read-failure.ts'
import type { EmailEvent, EventExtension } from '../event.ts'

type Explained = Pick<
  EmailEvent,
  'type' | 'response_code' | 'response_enhanced_code' | 'response_content' | 'bounce_classification'
> &
  Pick<EventExtension, 'machine'>

export interface Explanation {
  readonly text: string
  readonly actor: Actor
}

/** From type, class, codes and text together; where they contradict each other, the explanation is less specific. */
export function explainEvent(event: Explained): Explanation {
  switch (event.type) {
    case 'Reception':
      return fine('The message was accepted for sending.')
    case 'Delivery':
      return fine("The recipient's mail server accepted the message.")
    case 'Opened':
      return fine(
        event.machine === undefined
          ? 'The recipient opened the message.'
          : 'A machine opened the message, such as the proxy of a mail provider; the recipient may not have seen it.',
      )
    case 'Click':
      return fine(
        event.machine === undefined
          ? 'The recipient clicked a link in the message.'
          : 'A machine followed a link in the message, such as a scanner; the recipient may not have seen it.',
      )
    case 'Feedback':
      return {
        text: 'The recipient reported the message as spam. The sender should not send mail to this address again.',
        actor: 'sender',
      }
    case 'TransientFailure':
      return explainTemporary('Temporarily failed', event, 'It will be retried automatically.')
    case 'Delayed':
      return explainTemporary('Deferred', withoutOwnCode(event), 'It is waiting for the next attempt.')
    case 'Bounce':
      return explainPermanent('Permanently failed', event)
    case 'OOBBounce':
      return explainReturned(event)
  }
}

function fine(text: string): Explanation {
  return { text, actor: 'nobody' }
}

/** Sources report 400 if there was no reply; the previous attempt may have had one. */
function withoutOwnCode(event: Explained): Explained {
  const { response_code, ...rest } = event
  return response_code === 400 ? rest : event
}

function explainTemporary(what: string, event: Explained, outlook: string): Explanation {
  const meaning = read(event)
  const reason = meaning?.temporary
  if (!meaning || reason === undefined) return fine(`${what}. ${outlook}`)
  if (!meaning.isLasting) return fine(`${what}: ${reason}. ${outlook}`)
  return { text: `${what}: ${reason}. ${outlook} ${meaning.advice}`, actor: meaning.actor }
}

/** What comes back after a delivery may be an answer instead of a failure. */
function explainReturned(event: Explained): Explanation {
  const meaning = read(event)
  if (meaning?.answer === undefined) {
    return explainPermanent('The server accepted the message and returned it later', event, meaning)
  }
  return { text: `${meaning.answer} ${meaning.advice}`.trim(), actor: meaning.actor }
}

function explainPermanent(what: string, event: Explained, meaning = read(event)): Explanation {
  const reason = meaning?.permanent
  if (!meaning || reason === undefined) {
    return { text: `${what}. The operator should read the response of the server.`, actor: 'operator' }
  }
  return { text: `${what}: ${reason}. ${meaning.advice}`, actor: meaning.actor }
}

function read(event: Explained): Meaning | undefined {
  return readFailure({
    code: event.response_code,
    enhancedCode: event.response_enhanced_code,
    text: event.response_content,
    class: event.bounce_classification,
  })
}
