/** The command that sends an event by hand, to try out whether events arrive. */

export function firstEventCommand(domain: string): string {
  return `curl -H "Authorization: $INGEST_KEY" ${location.origin}/ingest/events -d '{
  "id": "${crypto.randomUUID()}", "timestamp": '$(date +%s)', "type": "Delivery",
  "domain_name": "${domain}", "recipient": "anna@example.org", "subject": "Hello", "response_code": 250}'`
}
