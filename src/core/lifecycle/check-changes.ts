import { AgentError, ConfigError } from '../../errors.ts';
import { isShallow } from '../../json.ts';
import type { ToolCall } from '../records/message.ts';
import type { RunStore } from '../records/ports.ts';
import { MAX_ANSWER_CHARACTERS, type Question } from '../records/question.ts';
import { loadTools } from '../tool-contracts/toolbox.ts';
import type { LoadOwnTools } from '../tool-contracts/own-tools.ts';
import { WrongArgumentsError } from './answer-question.ts';
import { changedCall } from '../turn/approved-call.ts';
import { wrongChanges } from '../turn/changed-arguments.ts';

/** Said to a person whom a hook asks about a text, or about the result of a call that has been made. */
const AS_IT_IS = 'a result or a text is approved or denied as it is, without arguments';

/**
 * Checks arguments with which a person approves a call: they are planned and judged like the model's own.
 * @throws {ConfigError} if the call would be refused with them, or it is no call that is to be made
 */
export async function checkChanges(
  question: Question,
  changed: ToolCall['arguments'],
  { store, tools }: { store: Pick<RunStore, 'opened' | 'turn'>; tools: LoadOwnTools },
): Promise<void> {
  if (question.approval?.about !== undefined) throw new ConfigError(AS_IT_IS);
  if (!isShallow(changed)) throw new ConfigError('the arguments are nested too deeply');
  const { length } = JSON.stringify(changed);
  if (length > MAX_ANSWER_CHARACTERS) {
    throw new ConfigError(
      `the arguments have ${length} characters as JSON; at most ${MAX_ANSWER_CHARACTERS} are allowed`,
    );
  }
  const { run, turn: number, call: index } = question;
  const [opened, turn] = await Promise.all([store.opened(run), store.turn(run, number)]);
  const call = turn?.answer.calls[index - 1];
  const asked = turn?.plans[index - 1];
  if (opened === undefined || call === undefined || asked === undefined)
    throw new AgentError(`run "${run}" lost a call`);
  const definition = opened.tools.find(({ name }) => name === call.name);
  const isBuiltIn = !Object.hasOwn(opened.targets ?? {}, call.name);
  // Rules would judge arguments that they cannot read, and give that as their reason.
  const wrong = definition === undefined ? [] : wrongChanges(call, changed, definition, isBuiltIn);
  if (wrong.length > 0) {
    const words = wrong.map(({ text }) => text).join('; ');
    throw new WrongArgumentsError(
      `the arguments do not fit the parameters of ${call.name}: ${words}; the question is still open`,
      wrong,
    );
  }
  const loaded = await loadTools(opened, tools, [call.name]);
  const { plan } = changedCall({ call, plan: asked }, changed, opened, loaded);
  if (plan.kind === 'done')
    throw new ConfigError(`the call would be refused with these arguments: ${plan.text}`);
}
