/** POST /v1/admin/days/{day}/accept: continues with a day that was set aside. */
import { requireCapability } from '../../../../storage/storage.ts'
import type { AdministrationDeps } from '../../../app-deps.ts'
import { type AddAdminRoute, noContent } from '../../../routes/route.ts'
import { DayParams } from './days.wire.ts'

export function addDays(route: AddAdminRoute, { storage }: AdministrationDeps): void {
  route('POST /v1/admin/days/:day/accept', {
    operationId: 'acceptDay',
    summary: 'Accept a day that is set aside',
    description:
      'For a day that is missing: the server continues without it, and stores new events of that day in a new file. For a day that ' +
      'was emptied: it is used as it is. For a day that an earlier version wrote, restored from a backup of this installation: it is ' +
      'used from now on. Days that are damaged, of another installation or of a newer version are refused with 409. ' +
      '`GET /v1/admin/storage` lists the days that are set aside.',
    params: DayParams,
    answer: noContent('Accepted.'),
    refusals: ['not_found', 'conflict', 'storage_unavailable'],
    async handle({ params: { day } }) {
      await requireCapability(storage, 'troubles').accept(day)
    },
  })
}
