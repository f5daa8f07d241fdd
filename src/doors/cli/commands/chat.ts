import { assertName } from '../../../core/agent-schema/agent-name.ts';
import { loadAgent } from '../../../core/agent-schema/load-agent.ts';
import { ConfigError } from '../../../errors.ts';
import type { GivenInput } from '../../../places/given-input.ts';
import { toRunRequest, type AskedLimits } from '../../../places/run-request.ts';
import { UNDER_WAY, isIn } from '../../../core/records/phase.ts';
import type { Run } from '../../../core/records/run.ts';
import type { Talk } from '../chat/line-by-line.ts';
import { createSession, type Partner } from '../chat/session.ts';
import { createChat } from '../chat/chat.ts';
import { placeText } from '../terminal/closing-text.ts';
import { exitCodeOfRun } from '../terminal/exit-code-of-run.ts';
import { EXIT } from '../terminal/exit-code.ts';
import { patienceOf, type RunIo } from '../terminal/io.ts';
import { addedBy } from './added-budget.ts';
import { findRun } from './find-run.ts';
import { assertModelOption } from './model-option.ts';
import {
  openEnvironment,
  type OpenedEnvironment,
  type WhereRunsAre,
} from '../../../authoring/loading/open-environment.ts';
import type { LocalSources } from '../../../authoring/loading/local-sources.ts';
import { assertAgentsTrusted } from '../../../places/local/folder-trust.ts';
import { tellOutside } from './tell-outside.ts';

export interface ChatOptions extends WhereRunsAre, AskedLimits {
  model?: string;
}

/**
 * `cadre chat`: a conversation with an agent, line by line. On a terminal with a line editor and the tree above it;
 * elsewhere each line of stdin is a message, and its answer is printed before the next is read.
 * @param word the run to go on with: see findRun; absent for a new conversation
 * @returns the exit code
 */
export async function chat(
  agent: string,
  word: string | undefined,
  options: ChatOptions,
  io: RunIo,
): Promise<number> {
  assertName('agent', agent);
  const { model, env, agentsDir, maxTokens, maxUsd } = options;
  const limits = { maxTokens, maxUsd };
  assertModelOption(model, io);
  if (model !== undefined && word !== undefined) {
    throw new ConfigError(
      `--model is for a new conversation; this one goes on in a copy with: cadre fork ${word} "…" --model ${model}${placeText({ env, agentsDir })}`,
    );
  }
  const opened = await openEnvironment(options, io);
  const { environment } = opened;
  try {
    const sources = await opened.sources?.();
    assertModelOption(model, io, sources?.providers);
    if (sources !== undefined) await checkAgent(agent, sources, io);
    const from = word === undefined ? undefined : await findOwn(word, agent, opened);
    const more = addedBy(limits);
    if (from !== undefined && more !== undefined) await environment.addBudget(from.root, more, io.user);
    const patience = patienceOf(io);
    const toRequest = (prompt: string, given: GivenInput) =>
      toRunRequest(agent, { prompt, model, patience, ...limits }, given);
    const read = async (path: string) =>
      (await import('../../../places/attach.ts')).readGiven([path], io.cwd);
    const talk: Talk = async (screen) => {
      const session = createSession(from, { environment, screen, toRequest, now: Date.now, user: io.user });
      const chat = createChat({ agent, session, environment, screen, now: Date.now, read });
      await chat.resume();
      return { session, chat };
    };
    const last = await converse(talk, opened, env, io);
    if (last !== undefined) {
      io.stderr(`go on with: cadre chat ${last.agent} ${last.id}${placeText({ env, agentsDir })}\n`);
    }
    // A person at a terminal has read how each message ended.
    if (last === undefined || (io.terminal !== undefined && io.keyboard !== undefined)) return EXIT.success;
    const run = await environment.records.run(last.id);
    // Another process may be at work on the last one.
    return run === undefined || isIn(UNDER_WAY, run) ? EXIT.success : exitCodeOfRun(run);
  } finally {
    await environment.close();
  }
}

/** @returns the agent that was talked to last */
async function converse(
  talk: Talk,
  { environment }: OpenedEnvironment,
  env: string | undefined,
  io: RunIo,
): Promise<Partner | undefined> {
  const { terminal, keyboard } = io;
  if (terminal === undefined || keyboard === undefined) {
    const { chatLineByLine } = await import('../chat/line-by-line.ts');
    return chatLineByLine(talk, { env, io });
  }
  const { chatAtTerminal } = await import('../chat/at-terminal.ts');
  return chatAtTerminal(talk, { environment, env, io, terminal, keyboard });
}

/** Reports at once faults that would otherwise fail every message. */
async function checkAgent(agent: string, sources: LocalSources, io: RunIo): Promise<void> {
  const loaded = await loadAgent(agent, sources.source);
  for (const warning of loaded.warnings) io.stderr(`Warning: ${warning}\n`);
  await tellOutside(agent, loaded, sources, io);
  // Once it has begun, the keyboard is the chat's.
  await assertAgentsTrusted([agent], sources);
}

async function findOwn(
  word: string,
  agent: string,
  { environment, sources }: OpenedEnvironment,
): Promise<Run> {
  const run = await findRun(word, environment);
  if (run.agent !== agent) {
    throw new ConfigError(`run "${run.id}" is one of agent "${run.agent}", not of "${agent}"`);
  }
  // Deployed agents have no particular carrier.
  if (sources !== undefined && (await environment.records.isCarriedOut(run.root))) {
    throw new ConfigError(
      `run "${run.id}" is being carried out by another process; write to it with: cadre send ${run.id} "…"`,
    );
  }
  return run;
}
