import { callName } from '../../src/core/records/call.ts';
import { hooksAbout, type Hook, type KeptDecision } from '../../src/core/records/hook.ts';
import { isHooked } from '../../src/core/records/plan.ts';
import type { Law, Written } from './law.ts';

/** Hooks come before their calls. Nobody changes arguments in a play, so each hook is asked about a call once. */
export function hooksComeFirst({ turns }: Written): Law {
  const hooks = new Map<string, readonly Hook[]>();
  const decided = new Map<string, KeptDecision['decided']>();
  const nameOf = (run: string, at: { turn: number; call: number }, hook: number) =>
    `hook ${hook} about ${callName(at)} of ${run}`;

  function wrongWith(run: string, at: { turn: number; call: number }): string[] {
    const made = turns(run).find(({ number }) => number === at.turn);
    const tool = made?.answer.calls[at.call - 1]?.name;
    const plan = made?.plans[at.call - 1];
    if (tool === undefined || plan === undefined) return [];
    const about = hooksAbout({ on: 'before_call', tool }, hooks.get(run) ?? []);
    if (about.length > 0 && !isHooked(plan)) return [`${callName(at)} of ${run} was begun without its hooks`];
    return about.flatMap(([hook]) => {
      const name = nameOf(run, at, hook);
      const decision = decided.get(name)?.decision;
      if (decision === undefined) return [`${name} had decided nothing when the call was begun`];
      return decision === 'deny' ? [`${name} denied the call, which was begun`] : [];
    });
  }

  return {
    says: 'hooks decide once about a call, before it is made, and what they deny is not made',
    onOpened(run, { hooks: own = [] }) {
      hooks.set(run, own);
      return [];
    },
    onDecision(run, { decided: decision, ...at }) {
      const name = nameOf(run, at, at.hook);
      if (decided.has(name)) return [`${name} has decided twice`];
      decided.set(name, decision);
      return [];
    },
    onDeed({ run }, _, mark) {
      for (const { number, answer } of turns(run)) {
        const index = answer.calls.findIndex((call) => call.arguments['mark'] === mark);
        if (index >= 0) return wrongWith(run, { turn: number, call: index + 1 });
      }
      return [];
    },
    onRun: (before, { parent }) => (before === undefined && parent ? wrongWith(parent.run, parent) : []),
  };
}
