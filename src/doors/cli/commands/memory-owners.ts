import { loadAgent } from '../../../core/agent-schema/load-agent.ts';
import { memoryName } from '../../../core/memory/memories.ts';
import { shownMemory } from '../../../core/memory/shown-memory.ts';
import { belongsTo, ownerKey, ownerKeyOf, ownerOf, type Person } from '../../../core/records/owner.ts';
import { openAgentFolders } from '../../../authoring/loading/folders/agent-folders.ts';
import { openMaintenance, type Maintained } from '../../../authoring/loading/open-maintenance.ts';
import { ConfigError } from '../../../errors.ts';
import { counted } from '../../../counted.ts';
import { defined } from '../../../defined.ts';
import type { Maintenance } from '../../../places/maintenance.ts';
import type { Io } from '../terminal/io.ts';
import { entriesIn } from '../terminal/figures.ts';
import { oneLine } from '../terminal/printable.ts';

export interface OwnersOptions extends Maintained {
  owner?: string;
  agentsDir?: string;
}

type Records = Maintenance['records'];

/**
 * `cadre memory assign [agent]`: moves entries of the account's memory to the owners whom their runs name.
 * @param name undefined for all agents
 */
export async function assignMemory(
  name: string | undefined,
  { owner: only, ...options }: OwnersOptions,
  io: Io,
): Promise<void> {
  const names = await memoriesOf(name, options, io);
  const { chores, records, issuer, close } = await openMaintenance(options, io.cwd);
  try {
    for (const memory of names) {
      const { moved, stay } = await chores.assign(memory, async (id) => {
        const run = await records.run(id);
        const isMeant = run && (only === undefined || belongsTo(run, { owner: only, issuer }));
        return isMeant ? ownerKeyOf({ issuer, ...ownerOf(run) }) : undefined;
      });
      io.stdout(`${oneLine(memory)}: ${entriesIn(moved)} moved, ${stay} stay the account's\n`);
    }
  } finally {
    await close();
  }
}

/** `cadre memory forget --owner <owner>`: removes what agents remember of an owner, and says what remains. */
export async function forgetMemory(
  { owner, ...options }: OwnersOptions & { owner: string },
  io: Io,
): Promise<void> {
  const shared = await memoriesOf(undefined, options, io);
  const { chores, records, forgetSignIns, issuer, remains, close } = await openMaintenance(options, io.cwd);
  try {
    const key = ownerKey(issuer, owner);
    const gone = new Map<string, number>();
    const note = (memory: string, entries: number) => gone.set(memory, (gone.get(memory) ?? 0) + entries);
    for (const memory of await chores.named(key)) note(memory, (await chores.forget(memory, key)).length);
    const isTheirs = async (run: string) => belongsTo((await records.run(run)) ?? {}, { owner, issuer });
    for (const memory of shared) note(memory, (await chores.forgetOf(memory, isTheirs)).length);
    for (const [memory, entries] of gone) {
      if (entries > 0) io.stdout(`${oneLine(memory)}: ${entriesIn(entries)} removed\n`);
    }
    const all = [...gone.values()].reduce((sum, entries) => sum + entries, 0);
    io.stdout(`Forgotten: ${entriesIn(all)} of ${JSON.stringify(owner)}.\n`);
    const signIns = await forgetSignIns(key);
    if (signIns > 0)
      io.stdout(
        `Sign-ins to ${counted(signIns, 'server')} removed; tokens stay valid there until they end.\n`,
      );
    await tellRemains({ owner, issuer }, records, remains, io);
  } finally {
    await close();
  }
}

/** Names the runs that still contain an owner's words, or memories from when they began. */
async function tellRemains(
  owner: Person,
  records: Records,
  remains: readonly string[],
  io: Io,
): Promise<void> {
  const runs: string[] = [];
  for await (const run of runsWithMemory(owner, records)) runs.push(run);
  if (runs.length > 0)
    io.stdout(`\nRuns that still hold entries:\n${runs.map((id) => `  ${id}\n`).join('')}`);
  io.stdout(`\nWhat remains:\n${remains.map((each) => `  ${each}\n`).join('')}`);
}

/** The runs of an owner whose agents remember them, were shown memories, or could search for them. */
async function* runsWithMemory(owner: Person, records: Records): AsyncGenerator<string> {
  for (let after: string | undefined; ;) {
    const { trees, next } = await records.listTrees({ limit: PAGE, owner, after });
    for (const { top } of trees) {
      for (const run of await records.tree(top.id)) {
        const opened = await records.opened(run.id);
        if (opened === undefined) continue;
        const hasAnswered = run.status === 'succeeded' || run.status === 'idle';
        const isRemembered = opened.memory !== undefined && hasAnswered;
        const mayHaveLooked = opened.memoryTools !== undefined;
        if (isRemembered || mayHaveLooked || shownMemory(opened).entries.length > 0) yield run.id;
      }
    }
    if (next === undefined) return;
    after = next;
  }
}

const PAGE = 100;

/** The names of the memories that agents have. Agents with a fault in their files are left out, with a warning. */
async function memoriesOf(
  name: string | undefined,
  { agentsDir }: Omit<OwnersOptions, 'owner'>,
  io: Io,
): Promise<string[]> {
  const source = openAgentFolders({ ...io, ...defined({ agentsDir }) });
  if (name !== undefined) return [memoryName(name, (await loadAgent(name, source)).agent.memory)];
  const names = new Set<string>();
  for (const each of await source.list()) {
    try {
      const { memory } = (await loadAgent(each, source)).agent;
      if (memory.enabled || memory.search) names.add(memoryName(each, memory));
    } catch (thrown) {
      if (!(thrown instanceof ConfigError)) throw thrown;
      io.stderr(`Warning: the memory of agent "${each}" is left out: ${thrown.message}\n`);
    }
  }
  return [...names];
}
