import { findGrowth } from './test/harness/growth/growth.ts'
import { PARSERS } from './test/harness/growth/parsers.ts'
import { SHAPES } from './test/harness/growth/shapes.ts'
const only = process.argv[2]
for (const parser of PARSERS) {
  if (only && !parser.name.includes(only)) continue
  const t = process.cpuUsage()
  process.stdout.write(`${parser.name} (${parser.inputs.length} inputs) `)
  let found = 0
  let slowest = 0
  for (const input of parser.inputs) for (const shape of SHAPES) {
    if (found > 6) continue
    const s = process.cpuUsage()
    const g = await findGrowth(parser, input, shape)
    const u = process.cpuUsage(s).user
    if (u > 1e6) console.log('  slow', Math.round(u/1000), input.name, shape.name)
    if (g) { found++; console.log('  GROWTH', g.input, g.shape, g.times.join(' ')) }
  }
  console.log(Math.round(process.cpuUsage(t).user / 1000), 'ms')
}
