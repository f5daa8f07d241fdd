import { withOutputSchema } from '../agent-schema/output-prompt.ts';
import { firstMessages } from '../turn/messages.ts';
import type { CallEnd, TurnRecords } from '../events/records.ts';
import { readRun } from '../events/tree-reader.ts';
import { callName } from '../records/call.ts';
import { capturesIn } from '../records/mail.ts';
import { resultsIn, type Message, type ToolCall, type ToolResult } from '../records/message.ts';
import type { RunReads } from '../records/ports.ts';
import { temperatureOf, type Opened } from '../records/opened.ts';
import { usageOf, type Turn } from '../records/turn.ts';
import { approvalsOf } from './approval-report.ts';
import { toCost } from './run-report.ts';
import { hooksOfRun } from './hook-report.ts';
import type { ApprovalReport, Conversation, HookReport } from './run-schemas.ts';
import type { LoadOwnTools } from '../tool-contracts/own-tools.ts';
import { defined } from '../../defined.ts';

/** The wanted part of a conversation; absent: all of it. */
export interface ConversationPart {
  /** Turns from this one to that one. The first has the messages before it; each has the results of its calls. */
  fromTurn?: number | undefined;
  toTurn?: number | undefined;
  /** Texts that are longer are cut. */
  maxCharacters?: number | undefined;
  /** The same for results and arguments of calls alone. */
  maxCallCharacters?: number | undefined;
}

type ReportedMessage = Conversation['messages'][number];

/** A run's conversation at this moment; empty before it is opened. */
export async function conversationOf(
  id: string,
  runs: RunReads,
  tools: LoadOwnTools,
  {
    fromTurn = 1,
    toTurn = Infinity,
    maxCharacters = Infinity,
    maxCallCharacters = Infinity,
  }: ConversationPart = {},
): Promise<Conversation> {
  const [opened, run] = await Promise.all([runs.opened(id), runs.run(id)]);
  if (opened === undefined) return { system: '', turns: 0, messages: [] };
  const isWanted = (turn: number) => turn >= fromTurn && turn <= toTurn;
  const [first, records] = await Promise.all([
    isWanted(1) ? firstMessages(opened, runs) : { messages: [] },
    run && readRun(run, runs, tools, isWanted),
  ]);
  const { turns: made = [], draft } = records ?? {};
  const isWriting = draft !== undefined && draft.turn > made.length && run?.status === 'running';
  const wanted = made.filter(({ turn }) => isWanted(turn.number));
  const wantedTurns = wanted.map(({ turn }) => turn);
  const [approvals, hooks] = await Promise.all([
    run === undefined ? [] : approvalsOf(run, wantedTurns, runs),
    hooksOfRun(id, opened, wantedTurns, runs),
  ]);
  const decided = { approvals, hooks };
  const cut = cutTo(maxCharacters, Math.min(maxCharacters, maxCallCharacters));
  const messages = [
    ...first.messages.map((message) => inherited(message, cut)),
    ...wanted.flatMap((records) => turnMessages(records, made[records.turn.number]?.turn, decided, cut)),
  ];
  const system = cut.text(withOutputSchema(opened.system, opened.output?.schema));
  return {
    system: system.text,
    ...defined({ system_characters: system.characters }),
    settings: settingsOf(opened),
    turns: made.length,
    ...defined({ input_characters: isWanted(1) ? await inputLength(id, opened, runs) : undefined }),
    ...(run?.hasCaptured && { captured: await capturedBy(id, runs, cut) }),
    ...(isWriting && {
      writing: { turn: draft.turn, text: draft.text, ...defined({ thinking: draft.thinking }) },
    }),
    messages,
  };
}

/** How much at the end of a top's first message stays where its task is replaced. */
async function inputLength(id: string, { message }: Opened, runs: RunReads): Promise<number | undefined> {
  const { prompt = '', context = '' } = (await runs.request(id)) ?? {};
  if (context.trim() === '' || !message.endsWith(context)) return undefined;
  return prompt.trim() === '' ? message.length : message.length - prompt.length;
}

async function capturedBy(id: string, runs: RunReads, cut: Cut): Promise<Conversation['captured'] & {}> {
  return capturesIn(await runs.mails(id)).map(({ body, sentAt: at, captureEnd }) => ({
    ...cut.text(body),
    at,
    ...defined({ fork: captureEnd?.fork }),
    ...(captureEnd !== undefined && captureEnd.fork === undefined && { cancelled: true as const }),
  }));
}

function settingsOf(opened: Opened): NonNullable<Conversation['settings']> {
  const { model, maxTokens, reasoningEffort, tools, rules, skill } = opened;
  return {
    model,
    max_tokens: maxTokens,
    ...defined({ temperature: temperatureOf(opened), reasoning_effort: reasoningEffort }),
    tools: tools.map(({ name }) => name),
    ...(rules !== undefined && { mode: rules.mode }),
    ...(skill !== undefined && { skill }),
  };
}

/** Content that only a provider can read is left out: it is long and means nothing to other readers. */
function inherited(message: Message, cut: Cut): ReportedMessage {
  switch (message.role) {
    case 'user':
      return {
        role: message.role,
        ...cut.text(message.text),
        ...defined({ attachments: message.attachments }),
      };
    case 'assistant': {
      const calls = message.calls.map((call) => toCall(call, cut));
      return { role: message.role, ...cut.text(message.text), calls };
    }
    case 'tool':
      return { role: message.role, results: message.results.map((result) => toResult(result, cut)) };
  }
}

/** What people and hooks decided in the wanted turns. */
interface Decided {
  approvals: readonly ApprovalReport[];
  hooks: readonly HookReport[];
}

/**
 * The messages of people and others before a turn, its answer, and the results of its calls.
 * @param next the turn that read those; absent: only those that have ended are known
 */
function turnMessages(
  { turn, children, ends }: TurnRecords,
  next: Turn | undefined,
  { approvals, hooks }: Decided,
  cut: Cut,
): ReportedMessage[] {
  const { number, received, answer } = turn;
  const said = received.flatMap((message) => (message.role === 'user' ? inherited(message, cut) : []));
  const hooksAt = (call: number) => {
    const asked = hooks.filter((each) => each.call === callName({ turn: number, call }));
    return asked.length > 0 && { hooks: asked };
  };
  const calls = answer.calls.map((call, index) => {
    const run = children[index];
    const approval = approvals.find((each) => each.call === callName({ turn: number, call: index + 1 }));
    return {
      ...toCall(call, cut),
      ...defined({ run, approval }),
      ...hooksAt(index + 1),
    };
  });
  const read = next && resultsIn(next.received);
  const results = read?.map((result, index) => toResult(result, cut, ends[index])) ?? ended(turn, ends, cut);
  return [
    ...said,
    { role: 'assistant', ...cut.text(answer.text), calls, ...hooksAt(0), turn: turnReport(turn) },
    ...(results.length > 0 ? [{ role: 'tool' as const, results }] : []),
  ];
}

/** The results of those calls that have ended, although the model has not been told of any yet. */
function ended({ answer, exceeded }: Turn, ends: TurnRecords['ends'], cut: Cut) {
  if (exceeded !== undefined) return [];
  return answer.calls.flatMap(({ id: callId, name }, index) => {
    const end = ends[index];
    return end === undefined ? [] : toResult({ callId, name, ...end }, cut, end);
  });
}

function turnReport(turn: Turn) {
  const usage = usageOf([turn]);
  return {
    number: turn.number,
    finished_at: turn.at,
    duration_ms: Math.max(0, turn.latencyMs),
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    ...toCost([{ usage }]),
    ...defined({ sources: turn.answer.sources }),
  };
}

function toCall({ id, name, arguments: given }: ToolCall, cut: Cut) {
  return { id, name, ...cut.arguments(given) };
}

function toResult(
  { callId, name, text, isError, attachments }: Omit<ToolResult, 'spawned' | 'whole'>,
  cut: Cut,
  end?: CallEnd,
) {
  return {
    call_id: callId,
    name,
    ...cut.result(text),
    is_error: isError,
    ...defined({ attachments }),
    ...(end?.failure !== undefined && { failure: end.failure }),
    ...(end !== undefined && { duration_ms: Math.max(0, Math.round(end.durationMs)) }),
  };
}

type Cut = ReturnType<typeof cutTo>;

/** Cuts texts, and says how long the whole was. */
function cutTo(most: number, mostOfCall: number) {
  const beginning = (text: string, length: number) => text.slice(0, length).toWellFormed();
  const cut = (text: string, length: number) =>
    text.length <= length ? { text } : { text: beginning(text, length), characters: text.length };
  return {
    text: (text: string) => cut(text, most),
    result: (text: string) => cut(text, mostOfCall),
    arguments(given: Record<string, unknown>) {
      const entries = Object.entries(given).map(([name, value]) => {
        const text = typeof value === 'string' ? value : JSON.stringify(value);
        const isCut = text.length > mostOfCall;
        return { name, value: isCut ? beginning(text, mostOfCall) : value, isCut };
      });
      if (!entries.some(({ isCut }) => isCut)) return { arguments: given };
      const shown = Object.fromEntries(entries.map(({ name, value }) => [name, value]));
      return { arguments: shown, characters: JSON.stringify(given).length };
    },
  };
}
