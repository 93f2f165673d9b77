/** `tail`: follows what a mail server writes down, and brings it into the log. */
import type { Command } from 'commander'
import type { CommandRunner } from './command-runner.ts'
import { addTailExim } from './tail-exim.ts'
import { addTailKumomta } from './tail-kumomta.ts'
import { addTailPostfix } from './tail-postfix.ts'
import { addTailPowermta } from './tail-powermta.ts'

export function addTail(program: Command, runner: CommandRunner): void {
  const tail = program.command('tail').description('Follow the log of a mail server.')
  addTailExim(tail, runner)
  addTailKumomta(tail, runner)
  addTailPostfix(tail, runner)
  addTailPowermta(tail, runner)
}
