import * as v from 'valibot';
import { AgentError } from '../src/errors.ts';

const ToolInput = v.object({ run: v.string(), turn: v.number(), call: v.number() });

/** Carries out one call of one turn. There are no tools yet that need a function, so every call is refused. */
export async function handler(event: unknown): Promise<never> {
  const { run, turn, call } = v.parse(ToolInput, event);
  throw new AgentError(`call ${call} of turn ${turn} of run "${run}" asks for a tool, and there are none`);
}
