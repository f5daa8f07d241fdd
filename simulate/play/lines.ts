import * as v from 'valibot';
import { resultsIn, type ToolCall } from '../../src/core/records/message.ts';
import { toUsage } from '../../src/core/model/estimate.ts';
import type { ModelRequest } from '../../src/core/model/model.ts';
import { defined } from '../../src/defined.ts';
import { ModelError } from '../../src/errors.ts';
import { Death } from '../../test/fixtures/mortal.ts';
import type { TokenUsage } from '../../src/token-usage.ts';
import type { Choices } from '../choices.ts';
import { LAST_LINE } from '../world/bucket.ts';
import type { Line } from '../world/models.ts';

/** Every text has a mark by which it is found again: a letter for its kind, and a unique number. */
export interface Marks {
  next(kind: 'a' | 'c' | 'd' | 'm' | 'p' | 'q' | 'w'): string;
}

/** What a model may refer to. */
export interface Known {
  /** The runs of the tree. */
  runs: readonly string[];
  /** The tools that models use more than others in this play, where they have them. */
  favourites: readonly string[];
  /** How probable it is that a model or a function fails, from 0 to 1. */
  trouble: number;
  /** How probable it is that a provider is wrong about what an answer has used, from 0 to 1. */
  lies: number;
  /** How probable it is that a model calls tools, and so continues, from 0 to 1. */
  diligence: number;
}

/** All tools of a play except those that read mail, which models use when they are told of any. */
export const TOOLS = [
  'call_agent',
  'fork',
  'spawn_agent',
  'delegate_task',
  'sub_agent',
  'ask_user',
  'wait',
  'list_agents',
  'kill',
  'mail_send',
  'deed',
  'look',
  'read_file',
  'edit_file',
];

/** The file of each tree. */
const FILE = { path: 'notes.txt' };

type Use = (name: string, args: ToolCall['arguments']) => ToolCall;

/** After so many turns of its own, a model only answers. */
const MOST_TURNS = 40;

/** A model's line: it reads its mailbox when it is told to, and otherwise does what is chosen. */
export function lineOf(request: ModelRequest, known: Known, choices: Choices, marks: Marks): Line {
  const { happens, pick, upTo } = choices;
  if (happens(known.trouble)) return troubleOf(choices);
  const text = marks.next('a');
  const usage = {
    inputTokens: tokensOf(request),
    outputTokens: Math.min(request.maxTokens || 1_000, 1 + upTo(300)),
  };
  const answer = (calls?: ToolCall[]): Line => {
    const said = happens(known.lies) ? lieOf(request, { text, calls, usage }, choices) : undefined;
    return { text, usage, ...defined({ calls, said }) };
  };
  const use: Use = (name, args) => ({ id: marks.next('c'), name, arguments: args });
  const looks = lookingUp(request, use);
  if (looks !== undefined) return answer(looks);
  const turns = request.messages.filter(({ role }) => role === 'assistant').length;
  const names = request.tools
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('mail_') || name === 'mail_send');
  if (names.length === 0 || turns >= MOST_TURNS || !happens(known.diligence)) return answer();
  // A file can only be changed once it has been read.
  const hasRead =
    names.includes('edit_file') &&
    resultsIn(request.messages.slice(-1)).some((result) => result.name === 'read_file');
  const calls = Array.from({ length: 1 + upTo(happens(0.2) ? 4 : 1) }, () => {
    const liked = names.filter((name) => known.favourites.includes(name));
    const name =
      hasRead && happens(0.5) ? 'edit_file' : pick(liked.length > 0 && happens(0.5) ? liked : names);
    return use(name, argumentsOf(name, request, known, choices, marks));
  });
  return answer(calls);
}

/** An honest provider's count of a prompt, which is never above the reservation: only texts are counted. */
function tokensOf({ messages }: ModelRequest): number {
  const texts = messages.map((message) =>
    message.role === 'tool' ? message.results.map(({ text }) => text).join('') : message.text,
  );
  return Math.ceil(texts.join('').length / 5);
}

/** What a provider says of an answer that is not so: more than was reserved for it, nothing, or only half of it. */
function lieOf(
  request: ModelRequest,
  { text, calls = [], usage }: { text: string; calls: ToolCall[] | undefined; usage: TokenUsage },
  { pick, upTo }: Choices,
): TokenUsage {
  const counts = pick([
    { inputTokens: usage.inputTokens + upTo(20_000), outputTokens: usage.outputTokens },
    { inputTokens: 0, outputTokens: 0 },
    { inputTokens: usage.inputTokens, outputTokens: undefined },
  ]);
  const others = { cacheReadTokens: undefined, cacheWriteTokens: undefined };
  return toUsage(request, { text, calls }, { ...counts, ...others });
}

function troubleOf({ pick }: Choices): Error {
  return pick([
    () => new ModelError('overloaded', 'busy', { status: 529 }),
    () => new ModelError('rate_limit', 'slow down', { status: 429, retryAfterMs: 20_000 }),
    () => new ModelError('server', 'broken', { spent: 'unknown' }),
    () => new ModelError('bad_request', 'no'),
    () => new Death(),
  ])();
}

/** The result of `mail_check`. */
const Listed = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ messages: v.array(v.object({ id: v.string(), unread: v.boolean() })) }),
);

/** The calls by which an agent reads its mail, if it has to. */
function lookingUp({ messages }: ModelRequest, use: Use): ToolCall[] | undefined {
  const last = messages.at(-1);
  if (last?.role === 'user' && last.text.includes('[Notification: You have')) return [use('mail_check', {})];
  const listed = last?.role === 'tool' ? last.results.find(({ name }) => name === 'mail_check') : undefined;
  if (!listed?.text.startsWith('{')) return undefined;
  const unread = v
    .parse(Listed, listed.text)
    .messages.filter((mail) => mail.unread)
    .slice(0, 20);
  return unread.length === 0 ? undefined : unread.toReversed().map(({ id }) => use('mail_read', { id }));
}

function argumentsOf(
  name: string,
  { tools }: ModelRequest,
  known: Known,
  choices: Choices,
  marks: Marks,
): ToolCall['arguments'] {
  const { happens, pick, upTo } = choices;
  const other = () => pick(known.runs);
  const makes: Record<string, () => ToolCall['arguments']> = {
    call_agent: () => {
      const agents = tools.find((tool) => tool.name === 'call_agent');
      const named = JSON.stringify(agents).match(/\b(kid|mute|leaf|other)\b/g) ?? ['leaf'];
      // Few plays have them.
      if (named.includes('other')) named.push('other', 'other', 'other', 'other');
      return { agent: pick(named), task: `task ${marks.next('q')}`, background: happens(0.6) };
    },
    fork: () => ({ prompt: `task ${marks.next('q')}`, ...(happens(0.5) && { name: 'helper' }) }),
    spawn_agent: () => ({ task: marks.next('q'), ...(happens(0.3) && { max_tool_calls: 1 + upTo(3) }) }),
    delegate_task: () => ({
      plan: 'plan',
      subtasks: Array.from({ length: 1 + upTo(2) }, (_, index) => ({
        task: marks.next('q'),
        ...(index > 0 && happens(0.5) && { depends_on: upTo(index - 1) }),
      })),
    }),
    sub_agent: () => ({ prompt: marks.next('q') }),
    ask_user: () => ({ question: marks.next('q') }),
    wait: () => ({ timeout: pick([60, 5, 600]), ...(happens(0.5) && { from_agents: [other()] }) }),
    kill: () => ({ uuid: other() }),
    mail_send: () => ({ to: other(), body: marks.next('m') }),
    deed: () => ({ mark: marks.next('d') }),
    look: () => ({ mark: marks.next('q') }),
    read_file: () => FILE,
    edit_file: () => ({ ...FILE, old_string: LAST_LINE, new_string: `${marks.next('w')}\n${LAST_LINE}` }),
  };
  return makes[name]?.() ?? {};
}
