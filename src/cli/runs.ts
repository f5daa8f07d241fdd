import { ConfigError } from '../errors.ts';
import { isRunId } from '../conversation/run-id.ts';
import { toMessages } from '../conversation/turn.ts';
import type { RunStore } from '../conversation/ports.ts';
import type { Opened, Run } from '../conversation/run.ts';
import type { Message } from '../models/model.ts';
import { EXIT } from './exit-code.ts';
import type { Io } from './io.ts';
import { treeReport } from './run-report.ts';
import { count, seconds, treeText } from './tree-text.ts';

/** `cadre runs`: the newest runs first, with everything below each added up. */
export async function listRuns(
  store: RunStore,
  options: { json: boolean; limit: number },
  io: Io,
): Promise<number> {
  const reports = [];
  for await (const run of store.roots(options.limit)) reports.push(await overview(run, store));
  if (options.json) {
    io.stdout(`${JSON.stringify(reports)}\n`);
    return EXIT.success;
  }
  if (reports.length === 0) io.stderr('no runs yet; start one with: cadre run <agent>\n');
  const width = Math.max(0, ...reports.map(({ run_id }) => run_id.length));
  for (const { run_id, status, started_at, duration_ms, tree } of reports) {
    const columns = [
      run_id.padEnd(width),
      status.padEnd(9),
      started_at.slice(0, 19).replace('T', ' '),
      (duration_ms === null ? '' : seconds(duration_ms)).padStart(8),
      `${count(tree.input_tokens)} in, ${count(tree.output_tokens)} out`,
    ];
    io.stdout(`${columns.join('  ')}\n`);
  }
  return EXIT.success;
}

/** `cadre show`: the tree of a run, and with `--messages` its conversation. */
export async function showRun(
  id: string,
  store: RunStore,
  options: { json: boolean; messages: boolean },
  io: Io,
): Promise<number> {
  const run = await findRun(id, store);
  const tree = (await store.tree(id)).filter((other) => other.id === id || isBelow(other, run));
  const conversation = options.messages ? await conversationOf(run, store) : undefined;
  if (options.json) {
    const report = {
      ...(await overview(run, store)),
      runs: tree.map(runOverview),
      ...(conversation !== undefined && { system: conversation.system, messages: conversation.messages }),
    };
    io.stdout(`${JSON.stringify(report)}\n`);
    return EXIT.success;
  }
  io.stdout(`${treeText(tree, Date.now()).join('\n')}\n`);
  for (const { id: failed, failure } of tree) {
    if (failure !== undefined) io.stdout(`\n${failed}: ${failure.message}\n`);
  }
  if (conversation !== undefined) io.stdout(`\n${conversationText(conversation)}`);
  return EXIT.success;
}

/** @throws {ConfigError} if there is no such run */
export async function findRun(id: string, store: RunStore): Promise<Run> {
  const run = isRunId(id) ? await store.run(id) : undefined;
  if (run === undefined) throw new ConfigError(`run not found: ${id}; see: cadre runs`);
  return run;
}

/** A run's children carry its path as the beginning of theirs. */
function isBelow(other: Run, run: Run): boolean {
  if (run.parent === undefined) return true;
  const path = (id: string) => id.slice(id.lastIndexOf('-') + 1);
  return other.parent !== undefined && path(other.id).startsWith(`${path(run.id)}_`);
}

function runOverview(run: Run) {
  return {
    run_id: run.id,
    agent: run.agent,
    status: run.status,
    model: run.model,
    depth: run.depth,
    ...(run.parent !== undefined && { parent: run.parent }),
    started_at: run.startedAt,
    duration_ms: run.endedAt === undefined ? null : Date.parse(run.endedAt) - Date.parse(run.startedAt),
    turns: run.usage.turns,
    tool_calls: run.usage.toolCalls,
    input_tokens: run.usage.inputTokens,
    output_tokens: run.usage.outputTokens,
    ...(run.failure !== undefined && { error: run.failure.message }),
  };
}

async function overview(run: Run, store: RunStore) {
  return { ...runOverview(run), tree: treeReport(await store.tree(run.id)) };
}

interface Conversation {
  system: string;
  messages: Message[];
}

async function conversationOf(run: Run, store: RunStore): Promise<Conversation> {
  const opened: Opened | undefined = await store.opened(run.id);
  if (opened === undefined) return { system: '', messages: [] };
  return { system: opened.system, messages: toMessages(opened, await store.turns(run.id), []) };
}

function conversationText({ system, messages }: Conversation): string {
  const parts = system === '' ? [] : [`--- system ---\n${system}\n`];
  for (const message of messages) {
    if (message.role === 'tool') {
      for (const { name, text, isError } of message.results) {
        parts.push(`--- result of ${name}${isError ? ' (error)' : ''} ---\n${text}\n`);
      }
      continue;
    }
    const calls = message.role === 'assistant' ? message.calls : [];
    const lines = calls.map((call) => `→ ${call.name} ${JSON.stringify(call.arguments)}\n`);
    parts.push(`--- ${message.role} ---\n${message.text === '' ? '' : `${message.text}\n`}${lines.join('')}`);
  }
  return parts.join('\n');
}
