import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SFNClient } from '@aws-sdk/client-sfn';
import * as v from 'valibot';
import { wakeWaiting } from '../src/conversation/answer-question.ts';
import { askPerson, type AskPersonPorts } from '../src/conversation/ask-person.ts';
import { ENVIRONMENT, required } from '../src/environment.ts';
import { createStepFunctionsWake } from '../src/executions/step-functions-wake.ts';
import { functionRunLog } from '../src/observability/run-log.ts';
import { tellOfQuestion } from '../src/pipeline/cloud-questions.ts';
import { functionStore } from '../src/store/cloud-store.ts';

const ports: AskPersonPorts = {
  store: functionStore().runs,
  wake: createStepFunctionsWake(new SFNClient({})),
  emit: functionRunLog(),
  now: Date.now,
};

const eventBridge = new EventBridgeClient({});

/** What it is called for: by the machine, to ask a person, and by the API, when somebody has answered. */
const Event = v.union([
  v.object({ ask: v.unknown() }),
  v.object({ answered: v.object({ run: v.string(), turn: v.number(), call: v.number() }) }),
]);

/** Reaches those who wait: the only function that answers task tokens. */
export async function handler(event: unknown): Promise<void> {
  const told = v.parse(Event, event);
  if ('answered' in told) await wakeWaiting(told.answered, ports.store, ports.wake);
  else await ask(told.ask);
}

async function ask(event: unknown): Promise<void> {
  const waiting = await askPerson(event, ports);
  if (waiting === undefined) return;
  await tellOfQuestion(required(ENVIRONMENT.name), waiting, { client: eventBridge, emit: ports.emit });
}
