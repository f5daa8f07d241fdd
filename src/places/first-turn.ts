import type { ContextPorts } from '../core/agent-schema/context.ts';
import { openRun } from '../core/lifecycle/open.ts';
import { takeTurn } from '../core/turn/turn.ts';
import { ModelError } from '../errors.ts';
import { FORMAT } from '../core/machine/format.ts';
import type { Memories } from '../core/memory/memories.ts';
import { COUNTING_PROVIDERS, parseModelName } from '../core/model/model-name.ts';
import type { Model, ModelRequest } from '../core/model/model.ts';
import type { Prices } from '../core/spending/prices.ts';
import { keepFiles } from '../core/attachments/keep.ts';
import type { NewAttachment } from '../core/records/attachment.ts';
import type { Opened } from '../core/records/opened.ts';
import type { RunRequest } from '../core/records/request.ts';
import { newRunId } from '../core/records/run-id.ts';
import { createDocuments } from './store/documents.ts';
import { createMemories } from './store/memories.ts';
import { createMemoryBlobs, createMemoryTable } from './store/memory-table.ts';
import { createRunStore } from './store/runs.ts';
import { loadOwnTools } from '../tools/load-own-tools.ts';

export interface FirstTurn {
  /** The fixed part of the conversation, without the tools of servers, which are not asked. */
  opened: Opened;
  /** The request to its model; absent: none, since a limit prevents it. */
  request?: ModelRequest;
  /** That limit, in words. */
  exceeded?: string;
  /** Whether the provider would be asked first how many tokens the prompt has, which may leave more for the answer. */
  isCounted: boolean;
}

export interface FirstTurnPorts extends ContextPorts {
  prices: Prices;
  /** Undefined where nothing has been remembered yet. */
  memories: Memories | undefined;
  /** As in `AgentFilePorts`. */
  searchesByModel?: boolean;
}

/**
 * The first turn of a run up to the moment at which its model is asked: opened and taken as in any run, but in a
 * private store, and with a model that only notes its request.
 * @param files the attachments of the request
 * @throws everything that would fail the run before that
 */
export async function firstTurn(
  request: RunRequest,
  ports: FirstTurnPorts,
  files: readonly NewAttachment[] = [],
): Promise<FirstTurn> {
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, createMemoryBlobs()));
  const none = createMemories(table);
  const noting = notingModel();
  const all = {
    ...ports,
    store,
    tools: loadOwnTools,
    memories: ports.memories ?? none,
    servers: { list: async () => ({ tools: [], notes: [], until: Infinity }) },
    models: {
      async open(fullName: string) {
        const { provider, name } = parseModelName(fullName);
        const { countTokens, ...others } = noting.model;
        return { name, model: COUNTING_PROVIDERS.includes(provider) ? { ...others, countTokens } : others };
      },
    },

    now: Date.now,
    random: () => 0,
  };
  const { agent } = request;
  const id = newRunId(agent, Date.now());
  await keepFiles(id, files, store);
  await store.saveRequest(id, request);
  const begun = await openRun(
    { execution: id, name: id, redrives: 0, input: { v: FORMAT, agent, run: id } },
    all,
  );
  const input = { ...begun, execution: id, turn: 1, outcomes: [], attempt: 0, waits: 0 };
  try {
    await takeTurn(input, { ...all, memories: none }, new AbortController().signal);
  } catch (thrown) {
    if (noting.noted().request === undefined) throw thrown;
  }
  const [opened, run] = await Promise.all([store.opened(id), store.run(id)]);
  if (opened === undefined) throw new Error(`run "${id}" was opened, and is not there`);
  return {
    opened,
    ...noting.noted(),
    ...(run?.exceeded !== undefined && { exceeded: run.exceeded }),
  };
}

/** A model that never answers. */
function notingModel() {
  let isCounted = false;
  let sent: ModelRequest | undefined;
  const model = {
    async send(request) {
      sent = request;
      throw new Error('nothing is sent');
    },
    async countTokens() {
      isCounted = true;
      throw new ModelError('bad_request', 'nothing is counted');
    },
  } satisfies Model;
  return { model, noted: () => ({ isCounted, ...(sent !== undefined && { request: sent }) }) };
}
