/** An agent and the others that it may call. */
export interface GraphNode {
  name: string;
  calls: readonly string[];
}

/** Where an agent is drawn: its column from the left, and its row in it. */
interface Spot {
  column: number;
  row: number;
}

/** A level with more is drawn as several columns, so that all fit on a screen. */
const MOST_ROWS = 14;
/** More of them change little. */
const SWEEPS = 4;

type Ways = ReadonlyMap<string, readonly string[]>;

/**
 * Lays out a graph of calls from left to right. The level of an agent is the smallest number of calls that lead to it
 * from an agent that none calls; on each level, agents with common neighbours are next to each other. Agents without
 * calls come last.
 */
export function layered(nodes: readonly GraphNode[]): Map<string, Spot> {
  const known = new Set(nodes.map(({ name }) => name));
  const below: Ways = new Map(
    nodes.map(({ name, calls }) => [name, calls.filter((each) => each !== name && known.has(each))]),
  );
  const above = reversed(below);
  const isAlone = (name: string) => below.get(name)?.length === 0 && above.get(name)?.length === 0;
  const levels: string[][] = [];
  for (const [name, level] of levelsOf(below, above)) if (!isAlone(name)) (levels[level] ??= []).push(name);
  order(levels, below, above);
  return toPlaces([...levels, [...known].filter(isAlone)]);
}

function reversed(ways: Ways): Ways {
  const back = new Map<string, string[]>([...ways.keys()].map((name) => [name, []]));
  for (const [name, nexts] of ways) for (const next of nexts) back.get(next)?.push(name);
  return back;
}

/**
 * The smallest number of calls that lead to each agent from those that none calls. In a circle, levels begin at the
 * agent that calls most and is called least.
 */
function levelsOf(below: Ways, above: Ways): Map<string, number> {
  const lead = (name: string) => (below.get(name)?.length ?? 0) - (above.get(name)?.length ?? 0);
  const names = [...below.keys()].sort((one, other) => lead(other) - lead(one));
  const roots = names.filter((name) => above.get(name)?.length === 0);
  const levels = new Map(roots.map((name) => [name, 0]));
  const spread = () => {
    for (const [name, level] of levels) {
      for (const next of below.get(name) ?? []) if (!levels.has(next)) levels.set(next, level + 1);
    }
  };
  spread();
  for (const name of names) {
    if (levels.has(name)) continue;
    levels.set(name, 0);
    spread();
  }
  return levels;
}

/** Moves each agent to the mean of its neighbours on other levels, level by level, back and forth. */
function order(levels: readonly string[][], below: Ways, above: Ways): void {
  const rows = new Map<string, number>();
  const note = (level: readonly string[]) => {
    for (const [row, name] of level.entries()) rows.set(name, (row + 0.5) / level.length);
  };
  for (const level of levels) note(level);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const isDown = sweep % 2 === 0;
    const neighbours = isDown ? above : below;
    for (const level of isDown ? levels : [...levels].reverse()) {
      const mean = (name: string) => {
        const near = (neighbours.get(name) ?? []).flatMap((each) => rows.get(each) ?? []);
        if (near.length === 0) return rows.get(name) ?? 0;
        return near.reduce((sum, row) => sum + row, 0) / near.length;
      };
      const means = new Map(level.map((name) => [name, mean(name)]));
      level.sort((one, other) => (means.get(one) ?? 0) - (means.get(other) ?? 0));
      note(level);
    }
  }
}

function toPlaces(levels: readonly (readonly string[])[]): Map<string, Spot> {
  const places = new Map<string, Spot>();
  let column = 0;
  for (const level of levels) {
    const columns = Math.ceil(level.length / MOST_ROWS);
    const height = Math.ceil(level.length / Math.max(1, columns));
    for (const [index, name] of level.entries()) {
      places.set(name, { column: column + Math.floor(index / height), row: index % height });
    }
    column += columns;
  }
  return places;
}
