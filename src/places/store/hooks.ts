import type { CallKey } from '../../core/records/call.ts';
import type { DecisionKey, KeptDecision, WithheldResult } from '../../core/records/hook.ts';
import type { HookRecords } from '../../core/records/ports.ts';
import type { Turn } from '../../core/records/turn.ts';
import type { Documents } from './documents.ts';
import type { Key } from './table.ts';
import { callNumber, turnNumber } from './turn-number.ts';

/** What hooks decided, and what waits for it. */
export function createHookRecords(documents: Documents): HookRecords {
  return {
    decision: async (at) => (await documents.get<KeptDecision>(decisionKey(at)))?.decided,
    async decisions(run, turn) {
      const kept = await documents.query<KeptDecision>(`run#${run}`, `hook#${turnNumber(turn)}#`);
      return kept.sort((one, other) => Number(one.isEdited ?? false) - Number(other.isEdited ?? false));
    },
    async saveDecision({ run, ...at }, decided) {
      const kept: KeptDecision = { ...at, decided };
      return (await documents.putIfAbsent(decisionKey({ run, ...at }), kept)).decided;
    },
    withheldTurn: (run, turn) => documents.get<Turn>(withheldKey({ run, turn, call: 0 })),
    withholdTurn: (run, turn) =>
      documents.putIfAbsent(withheldKey({ run, turn: turn.number, call: 0 }), turn),
    withheldResult: (at) => documents.get<WithheldResult>(withheldKey(at)),
    withholdResult: (at, result) => documents.putIfAbsent(withheldKey(at), result),
  };
}

function decisionKey({ run, turn, call, hook, isEdited = false }: DecisionKey): Key {
  const number = String(hook).padStart(3, '0');
  return {
    partition: `run#${run}`,
    sort: `hook#${callNumber(turn, call)}#${number}${isEdited ? '#edited' : ''}`,
  };
}

function withheldKey({ run, turn, call }: CallKey): Key {
  return { partition: `run#${run}`, sort: `withheld#${callNumber(turn, call)}` };
}
