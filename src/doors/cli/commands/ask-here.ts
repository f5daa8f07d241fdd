import { AnsweredError, type PersonsAnswer } from '../../../core/lifecycle/answer-question.ts';
import { ConfigError, messageOf } from '../../../errors.ts';
import type { Environment } from '../../../places/environment.ts';
import { callName } from '../../../core/records/call.ts';
import type { RunEvent } from '../../../core/events/event.ts';
import { questionText } from './questions.ts';
import type { AskedApproval } from './ask-approval.ts';
import { typedAnswer } from './typed-answer.ts';
import type { LiveTree } from '../terminal/live-tree.ts';
import { jsonLine } from '../terminal/printable.ts';
import type { EditorPorts } from '../terminal/editor.ts';
import type { Prompter, PromptPorts, PromptQuestion } from '../terminal/prompt.ts';

/** Puts agents' questions to the person at the terminal, one question at a time. */
export interface Asker {
  emit(event: RunEvent): void;
  /** Asks no more, and gives the keyboard back. */
  close(): Promise<void>;
}

export interface AskerPorts extends Pick<PromptPorts, 'keyboard' | 'terminal' | 'interrupt'> {
  environment: Pick<Environment, 'answer' | 'records'>;
  live: LiveTree;
  /** The deployed environment that the tree is in; undefined for this folder. */
  env: string | undefined;
  /** The person who answers, if known. */
  user: string | undefined;
  /** What the editor is started with that a person changes arguments in. */
  editor: EditorPorts;
  /** Ends all questions: the tree is stopped. */
  interrupted: AbortSignal;
  /** Told before the keyboard is taken for questions, and once it is free again. */
  onKeyboard?: ((isTaken: boolean) => void) | undefined;
}

type AskedEvent = Extract<RunEvent, { type: 'question_asked' }>;

/**
 * A question that waits until it is answered here, or `gone`, because it was answered elsewhere or can no longer be
 * answered.
 */
interface Open {
  event: AskedEvent;
  gone: AbortController;
}

export function createAsker({ environment, live, env, user, ...ports }: AskerPorts): Asker {
  const { keyboard, terminal, interrupt, interrupted, onKeyboard, editor } = ports;
  const open = new Map<string, Open>();
  const drafts = new Map<AskedApproval, string>();
  let asking = Promise.resolve();
  let isAsking = false;
  let isOver = interrupted.aborted;

  function begin(): void {
    if (isAsking || first() === undefined) return;
    isAsking = true;
    onKeyboard?.(true);
    asking = askAll().finally(() => {
      isAsking = false;
      onKeyboard?.(false);
      begin();
    });
  }

  async function askAll(): Promise<void> {
    // Loaded with the first question.
    const { openPrompter } = await import('../terminal/prompt.ts');
    if (isOver) return;
    const prompter = openPrompter({ keyboard, terminal, interrupt, draw: live.below });
    try {
      await askWith(prompter);
    } finally {
      prompter.close();
    }
  }

  async function askWith(prompter: Prompter): Promise<void> {
    for (let next = first(); next !== undefined; next = first()) {
      const { event, gone } = next;
      const { choices = [], approval } = event;
      const ask = (asked: Partial<PromptQuestion>) =>
        prompter.ask({ ...wordsOf(event), choices: [], others: () => open.size - 1, ...asked }, gone.signal);
      // Loaded with the first approval.
      const approving = approval === undefined ? undefined : await import('./ask-approval.ts');
      const typed = await ask({
        choices:
          approving === undefined || approval?.about !== undefined ? choices : [...choices, approving.EDIT],
      });
      if (typed === undefined) continue;
      const askMore = (text: string, ifEmpty: string) => ask({ text, ifEmpty });
      const ports = { records: environment.records, live, prompter, askMore, ...editor };
      const read = () => approving?.approvalAnswer(event, typed, drafts, ports) ?? typedAnswer(event, typed);
      if (await give(event, read)) open.delete(nameOf(event));
    }
  }

  const first = () => (isOver ? undefined : open.values().next().value);

  /**
   * @param read the answer; undefined if there is none after all
   * @returns whether the question is done; if it cannot take this answer, it is asked again
   */
  async function give(
    event: AskedEvent,
    read: () => Promise<PersonsAnswer | undefined> | PersonsAnswer,
  ): Promise<boolean> {
    const { title, text: asked } = wordsOf(event);
    try {
      const given = await read();
      if (given === undefined) return false;
      await environment.answer(event, given, user);
      drafts.delete(event);
      const changed = given.arguments === undefined ? '' : ` ${jsonLine(given.arguments)}`;
      live.above(`${title}: ${asked}\n› ${given.text}${changed}\n`);
      return true;
    } catch (thrown) {
      const isFault = !(thrown instanceof AnsweredError || thrown instanceof ConfigError);
      live.above(`${isFault ? 'Error' : 'Warning'}: ${messageOf(thrown)}\n`);
      // It waits on, and may be answered elsewhere.
      if (isFault) live.above(`${questionText({ question: event }, env)}\n`);
      return !(thrown instanceof ConfigError);
    }
  }

  function drop(name: string): void {
    open.get(name)?.gone.abort();
    open.delete(name);
  }

  function end(): void {
    isOver = true;
    for (const name of open.keys()) drop(name);
  }
  interrupted.addEventListener('abort', end, { once: true });

  return {
    emit(event) {
      if (event.type === 'question_answered') drop(nameOf(event));
      if (event.type === 'run_closed') {
        for (const [name, { event: asked }] of open) if (asked.run === event.run) drop(name);
      }
      if (event.type !== 'question_asked' || isOver || open.has(nameOf(event))) return;
      open.set(nameOf(event), { event, gone: new AbortController() });
      begin();
    },
    async close() {
      end();
      await asking;
    },
  };
}

/** A question, or a call to be approved with what it is made with. */
function wordsOf({ agent, question, approval }: AskedEvent): { title: string; text: string } {
  if (approval === undefined) return { title: `${agent} asks`, text: question };
  const { tool, arguments: given } = approval;
  return { title: `${agent} needs approval`, text: `${question}\n${tool} ${jsonLine(given)}` };
}

function nameOf(at: { run: string; turn: number; call: number }): string {
  return `${at.run} ${callName(at)}`;
}
