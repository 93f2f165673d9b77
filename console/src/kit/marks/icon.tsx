/** Line icons, 16 by 16. They are always next to text, so assistive technology skips them. */

const PATHS = {
  overview: 'M2.5 13.5h11M4 11V8M8 11V3M12 11V6',
  log: 'M2.5 4h11M2.5 8h11M2.5 12h7',
  domains:
    'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8ZM2 8h12M8 2c2 1.8 2.6 3.8 2.6 6S10 12.2 8 14M8 2C6 3.8 5.4 5.8 5.4 8S6 12.2 8 14',
  tenants:
    'M5.5 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM1.5 13.5c0-2.2 1.8-3.8 4-3.8s4 1.6 4 3.8M10.5 3a2.3 2.3 0 0 1 0 4.4M11.5 9.9c1.8.3 3 1.7 3 3.6',
  keys: 'M10.3 9.2a3.5 3.5 0 1 0-3.4-2.6L2 11.5V14h2.5v-2h2V10l.9-.9c.8.2 1.9.4 2.9.1ZM11 5.5h.01',
  ingest: 'M1.5 8h3l2-5 3 10 2-5h3',
  quarantine: 'M8 2 1.5 13.5h13ZM8 6.5v3M8 11.5v.01',
  storage:
    'M2.5 4c0-1.1 2.5-2 5.5-2s5.5.9 5.5 2-2.5 2-5.5 2-5.5-.9-5.5-2ZM2.5 4v8c0 1.1 2.5 2 5.5 2s5.5-.9 5.5-2V4M2.5 8c0 1.1 2.5 2 5.5 2s5.5-.9 5.5-2',
  removals: 'M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.7 9h6.6l.7-9M6.7 7v4M9.3 7v4',
  sending: 'M14 2 7 9M14 2 9.5 14 7 9 2 6.5Z',
  audit: 'M3.5 2.5h9v11h-9ZM5.8 5.5h4.4M5.8 8h4.4M5.8 10.5h2.4',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM10.6 10.6 14 14',
  close: 'm4 4 8 8M12 4l-8 8',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8Z',
  check: 'm3 8.5 3.5 3.5L13 4.5',
  down: 'm4 6 4 4 4-4',
  right: 'm6 4 4 4-4 4',
  left: 'm10 4-4 4 4 4',
  plus: 'M8 3v10M3 8h10',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  export: 'M8 2v7.5M5 6.5l3 3 3-3M2.5 11v2.5h11V11',
  refresh: 'M13 8a5 5 0 1 1-1.5-3.6M13 2v3h-3',
  question:
    'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM6.2 6.3c.2-1 1-1.5 1.9-1.5 1 0 1.8.7 1.8 1.6 0 1.3-1.8 1.4-1.8 2.6M8.1 11.2v.01',
  dash: 'M4 8h8',
  views: 'M4 2.5h8v11l-4-3-4 3Z',
  columns: 'M2.5 3h11v10h-11ZM6.2 3v10M9.8 3v10',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  )
}
