import type { LoadedAgent } from '../../src/core/agent-schema/agent-source.ts';
import { parseAgent } from '../../src/authoring/loading/parse-agent.ts';
import { DELEGATION_MODEL } from '../../src/core/records/delegation.ts';
import { REMOTE_MODEL } from '../../src/core/records/remote-model.ts';
import { delegationModel } from '../../src/providers/planned/delegation.ts';
import { remoteModel } from '../../src/providers/planned/remote.ts';
import type { Json } from '../../src/json.ts';
import type { Model, Models } from '../../src/core/model/model.ts';
import { createDocuments } from '../../src/places/store/documents.ts';
import { createMemories } from '../../src/places/store/memories.ts';
import { NO_BLOBS } from '../../src/places/store/memory-table.ts';
import { createRunStore } from '../../src/places/store/runs.ts';
import type { Item, Key, Table } from '../../src/places/store/table.ts';
import { loadOwnTools } from '../../src/tools/load-own-tools.ts';
import { NO_FILES } from '../../test/fixtures/nothing.ts';
// Loaded on demand elsewhere, which takes time, on which no order of events may depend.
import '../../src/core/lifecycle/await-batch.ts';
import '../../src/core/spending/estimate.ts';
import '../../src/core/spending/return-allotment.ts';
import '../../src/core/turn/batched-turn.ts';
import '../../src/places/store/day-shards.ts';

/** The issuer of the tokens by which the API knows who starts trees. */
export const ISSUER = 'https://people.example';

/** Agents by their names, each with a model of its own name. */
export async function agentsOf(files: Record<string, string>): Promise<Map<string, LoadedAgent>> {
  const agents = Object.entries(files).map(async ([name, toml]) => {
    const bytes = Buffer.from(`name = "${name}"\nmodel = "m/${name}"\n${toml}`);
    return [name, await parseAgent(name, { path: name, root: '/', bytes })] as const;
  });
  return new Map(await Promise.all(agents));
}

/**
 * A table as one call of a function sees it.
 * @param operate does each operation, which may take time, fail or be the last
 * @param notePut is told of each put that took effect, or came too late
 */
export function tableThrough(
  table: Table,
  operate: <T>(effect: () => Promise<T>) => Promise<T>,
  notePut: (key: Key, value: Json, written: boolean) => void = () => {},
): Table {
  return {
    get: (key) => operate(() => table.get(key)),
    putIfAbsent: (key, value, options) =>
      operate(async () => {
        const put = await table.putIfAbsent(key, value, options);
        notePut(key, value, put.written);
        return put;
      }),
    putIfVersion: (key, value, version, options) =>
      operate(async () => {
        const item = await table.putIfVersion(key, value, version, options);
        notePut(key, value, item !== undefined);
        return item;
      }),
    async *query(...given) {
      yield* await operate(async () => {
        const items: Item[] = [];
        for await (const item of table.query(...given)) items.push(item);
        return items;
      });
    },
    delete: (key) => operate(() => table.delete(key)),
    close: async () => {},
  };
}

/** The ports of a function that last as long as its process. */
export type Kept = ReturnType<typeof keptOn>;

/**
 * Stores that know nothing yet.
 * @param backOff how they wait before they write again
 */
export function keptOn(table: Table, backOff?: (attempts: number) => Promise<void>) {
  return {
    store: createRunStore(table, createDocuments(table, NO_BLOBS), backOff),
    memories: createMemories(table),
  };
}

/** Models that nobody is asked for. */
const COMPUTED: ReadonlyMap<string, Model> = new Map([
  [DELEGATION_MODEL, delegationModel],
  [REMOTE_MODEL, remoteModel],
]);

/** What every function of an account is given. */
export function functionPorts(
  kept: Kept,
  agents: ReadonlyMap<string, LoadedAgent>,
  open: (model: string) => Awaited<ReturnType<Models['open']>>['model'],
) {
  return {
    ...kept,
    tools: loadOwnTools,
    models: {
      open: async (name: string) => ({
        model: COMPUTED.get(name) ?? open(name),
        name,
      }),
    },
    source: {
      list: async () => [],
      readSkill: async () => undefined,
      read: async (name: string) => agents.get(name),
    },
    cwd: '/',
    openWorkspace: () => NO_FILES,
    issuer: ISSUER,
  };
}
