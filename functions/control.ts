import { SFNClient } from '@aws-sdk/client-sfn';
import * as v from 'valibot';
import { wakeWaiting } from '../src/conversation/answer-question.ts';
import { askPerson, type AskPersonPorts } from '../src/conversation/ask-person.ts';
import { createStepFunctionsWake } from '../src/executions/step-functions-wake.ts';
import { functionRunLog } from '../src/observability/run-log.ts';
import { functionStore } from '../src/store/cloud-store.ts';

const ports: AskPersonPorts = {
  store: functionStore().runs,
  wake: createStepFunctionsWake(new SFNClient({})),
  emit: functionRunLog(),
  now: Date.now,
};

/** What it is called for: by the machine, to ask a person, and by the API, when somebody has answered. */
const Event = v.union([
  v.object({ ask: v.unknown() }),
  v.object({ answered: v.object({ run: v.string(), turn: v.number(), call: v.number() }) }),
]);

/** Reaches those who wait: the only function that answers task tokens. */
export async function handler(event: unknown): Promise<void> {
  const told = v.parse(Event, event);
  if ('answered' in told) await wakeWaiting(told.answered, ports.store, ports.wake);
  else await askPerson(told.ask, ports);
}
