/** /v1/admin/days: days that are set aside. */
import * as t from '../../../../lib/json-schema.ts'

export const DayParams = t.object({ day: t.text('UTC, such as 2026-01-31.', { format: 'date' }) })
