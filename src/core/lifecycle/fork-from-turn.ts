import { ConfigError } from '../../errors.ts';
import { defined } from '../../defined.ts';
import { toUserMessage, withInput } from '../agent-schema/user-message.ts';
import { parseModelName } from '../model/model-name.ts';
import { attachmentsIn } from '../records/message-texts.ts';
import type { Opened } from '../records/opened.ts';
import { withModel } from '../records/with-model.ts';
import type { RunReads } from '../records/ports.ts';
import type { RunRequest } from '../records/request.ts';
import type { Run } from '../records/run.ts';
import type { Seconds } from '../records/times.ts';
import { isAnswer, type Turn } from '../records/turn.ts';
import { firstMessages, sentForTurn, type FirstMessages } from '../turn/messages.ts';
import { MAX_MESSAGE_CHARACTERS } from './persons-message.ts';
import { ownerOf } from '../records/owner.ts';

/** Where a copy continues a conversation, and what is different in it. */
export interface ForkPoint {
  /** The turn that it repeats, from 1; absent: it makes the one after the newest answer. */
  turn?: number | undefined;
  /** Replaces the words that the turn was made for; absent: those words. */
  text?: string | undefined;
  /** `provider/model-name`, in place of the run's. */
  model?: string | undefined;
  /** In place of the time that its tree was given. */
  timeout?: Seconds | undefined;
}

/** A run that continues the conversation of another: its request, and how its conversation is opened. */
export interface ForkedConversation {
  request: RunRequest;
  open: (id: string) => Opened;
}

/**
 * The conversation of a run before one of its turns, as the beginning of another tree. All of it is copied, so the copy
 * outlives the run, and no call in it is made again. It has the run's tools, prompt and limits, and writes nothing to
 * the agent's memory.
 * @throws {ConfigError} if the run has no such turn, or nothing is left to say
 */
export async function forkFromTurn(
  run: Run,
  { turn, text, model, timeout }: ForkPoint,
  store: RunReads,
): Promise<ForkedConversation> {
  const [opened, turns, top, topRun, asked] = await Promise.all([
    store.opened(run.id),
    store.turns(run.id),
    store.opened(run.root),
    store.run(run.root),
    store.request(run.id),
  ]);
  if (opened === undefined)
    throw new ConfigError(`run "${run.id}" has not begun, so there is nothing to fork`);
  if (text !== undefined) assertText(text);
  const number = turnToMake(run, turns, turn, text);
  const point = { number, text, input: await inputOf(opened, asked, number, store) };
  const conversation = await cutBefore(point, opened, turns, store);
  const chosen = model ?? run.chosenModel ?? opened.model;
  if (model !== undefined) parseModelName(model);
  const limits = {
    ...defined({ patience: top?.patience }),
    timeout: timeout ?? (opened.timeout || (top?.timeout ?? 0)),
  };
  const copy: Omit<Opened, 'root'> = {
    ...withoutOwnParts(withModel(opened, chosen)),
    ...conversation,
    ...limits,
  };
  return {
    open: (id) => ({ ...copy, root: id }),
    request: {
      agent: run.agent,
      prompt: text ?? asked?.prompt ?? run.task,
      ...(number === 1 && defined({ context: asked?.context })),
      forkedFrom: { root: run.root, run: run.id, turn: number },
      overrides: {
        model: copy.model,
        ...defined({ workdir: opened.workdir }),
        ...(copy.timeout > 0 && { timeout: copy.timeout }),
      },
      ...ownerOf(run),
      ...defined({ tags: topRun?.tags }),
    },
  };
}

/** The parts of an opening that depend on the run's place in its tree, or belong to it alone. */
function withoutOwnParts(opened: Opened): Omit<Opened, 'root'> {
  const {
    root: _root,
    memory: _memory,
    history: _history,
    earlier: _earlier,
    later: _later,
    inputAt: _inputAt,
    inputOf: _inputOf,
    attachments: _attachments,
    isAwaited: _isAwaited,
    forks: _forks,
    ...same
  } = opened;
  return same;
}

function assertText(text: string): void {
  if (text.trim() === '')
    throw new ConfigError('the text is blank; leave it out to keep the words as they were');
  if (text.length <= MAX_MESSAGE_CHARACTERS) return;
  throw new ConfigError(
    `the text has ${text.length} characters; at most ${MAX_MESSAGE_CHARACTERS} are allowed`,
  );
}

function turnToMake(run: Run, turns: readonly Turn[], asked: number | undefined, text?: string): number {
  const answered = turns.findLast(isAnswer)?.number;
  const made = turns.length === 1 ? 'one turn' : `${turns.length} turns`;
  if (asked === undefined) {
    if (text === undefined)
      throw new ConfigError('name the turn to fork from, or the words that the copy goes on with');
    if (answered !== undefined) return answered + 1;
    throw new ConfigError(
      `"${run.agent}" has not answered yet: name the turn to fork from; it has made ${made}`,
    );
  }
  if (asked === 1 || (asked > 1 && asked <= turns.length)) return asked;
  if (asked !== turns.length + 1 || answered !== turns.length) {
    throw new ConfigError(`run "${run.id}" has no turn ${asked} to fork from: it has made ${made}`);
  }
  if (text !== undefined) return asked;
  throw new ConfigError(
    `run "${run.id}" has not made turn ${asked}: write the words that the copy goes on with`,
  );
}

/** What a first message is about, behind the words of the task; "" where it cannot be told from them. */
async function inputOf(
  { message, inputAt, inputOf: by }: Opened,
  asked: RunRequest | undefined,
  number: number,
  store: RunReads,
): Promise<string> {
  if (inputAt !== undefined) return message.slice(inputAt);
  const origin = by === undefined ? undefined : await store.opened(by);
  if (origin?.inputAt !== undefined) return origin.message.slice(origin.inputAt);
  return number === 1 ? (asked?.context ?? '') : '';
}

/** The messages of the copy, ending with other words if there are any. */
async function cutBefore(
  { number, text, input }: { number: number; text: string | undefined; input: string },
  opened: Opened,
  turns: readonly Turn[],
  store: RunReads,
): Promise<Pick<Opened, 'attachments' | 'earlier' | 'inputAt' | 'later' | 'message'>> {
  const { messages, own } = await sentUpTo(number, opened, turns, store);
  const [earlier, first, after] = [messages.slice(0, own), messages[own], messages.slice(own + 1)];
  const before = after.slice(0, after.findLastIndex(({ role }) => role !== 'user') + 1);
  const said = first?.role === 'user' ? first.text : opened.message;
  const isTask = before.length === 0;
  const message = text !== undefined && isTask ? retold(text, input, opened) : said;
  // Other words about the same images and documents.
  const shown = attachmentsIn(after.slice(before.length));
  const reworded = {
    role: 'user' as const,
    text: text ?? '',
    ...(shown.length > 0 && { attachments: shown }),
  };
  const later = text === undefined ? after : isTask ? [] : [...before, reworded];
  const attachments = first?.role === 'user' ? first.attachments : undefined;
  return {
    ...(earlier.length > 0 && { earlier }),
    message,
    ...(attachments !== undefined && attachments.length > 0 && { attachments }),
    ...(later.length > 0 && { later }),
    ...(opened.sharesInput && input.trim() !== '' && { inputAt: message.length - input.length }),
  };
}

/** The conversation as it was sent for a turn. The first turn starts from the beginning, however long that is. */
async function sentUpTo(
  number: number,
  opened: Opened,
  turns: readonly Turn[],
  store: RunReads,
): Promise<FirstMessages> {
  if (number > 1) return sentForTurn(number, opened, turns, store);
  const { messages, own } = await firstMessages(opened, store);
  return { messages: [...messages, ...(turns[0]?.received ?? [])], own };
}

/** The first message with another task, and the input that it had. */
function retold(text: string, input: string, { inputOf: by }: Opened): string {
  return by === undefined ? toUserMessage(text, input) : withInput(text, input);
}
