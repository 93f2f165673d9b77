/** GET /domain/stats and GET /v1/stats/series. */
import { CALLERS, each, pairs, type Tour, targets } from './tour.ts'

export async function askStats({ recorder }: Tour): Promise<void> {
  const series = '/v1/stats/series'
  const groups = each('group', ['type', 'provider', 'classification', 'domain'])
  const windows = [
    'bucket=hour',
    'bucket=day',
    'bucket=day&from=2025-03-01',
    'bucket=day&from=2025-05-10&to=2025-05-18',
    'from=2025-05-20T10:30:00Z&to=2025-05-20T12:10:00Z',
  ]
  await recorder.askAll('acme', [
    ...targets(series, ['', ...pairs(groups, windows)]),
    ...targets(
      series,
      pairs(groups, [
        'domain=acme.test',
        'type=Bounce&type=Delivery',
        'provider=Gmail',
        'classification=SpamBlock&limit=1',
      ]),
    ),
    ...targets(series, [
      ...each('limit', [1, 2, 1000, 5000]),
      ...each('limit', [0, 'x']),
      'group=nonsense',
      'bucket=week',
      'bucket=',
      'from=2025-05-20&to=2025-05-19',
      'from=1970-01-01',
      'from=x',
      'domain=bolt.test',
      'domain=nowhere.test',
      'domain=b%C3%BCcher.test&bucket=day',
      'type=nonsense',
      'group=type&group=domain',
    ]),
    `HEAD ${series}`,
    `POST ${series}`,
    ...targets('/domain/stats', ['', 'x=1', 'x=%zz']),
    'HEAD /domain/stats',
    'POST /domain/stats',
    'GET /domain/stats/',
    'GET /domain',
  ])
  for (const caller of CALLERS) {
    await recorder.askAll(caller, ['GET /domain/stats', ...targets(series, ['bucket=day', 'bucket=x'])])
  }
}
