import type { RunEvent } from '../../runs/event.ts';
import { treeText, type TreeRow } from './tree-text.ts';

/** Draws the tree of agents while it works, on a terminal. */
export interface LiveTree {
  emit(event: RunEvent): void;
  /** Leaves the last picture where it is and gives the terminal back. */
  close(): void;
}

const FRAME_MS = 100;

/** @param stream a terminal: cursor movements are written to it */
export async function openLiveTree(stream: NodeJS.WriteStream): Promise<LiveTree> {
  const { createLogUpdate } = await import('log-update');
  const screen = createLogUpdate(stream);
  const rows = new Map<string, TreeRow>();
  const draw = () => screen(fit(treeText([...rows.values()], Date.now()), stream.rows).join('\n'));
  const timer = setInterval(draw, FRAME_MS).unref();

  return {
    emit(event) {
      const row = rows.get(event.run);
      switch (event.type) {
        case 'run_opened':
          rows.set(event.run, {
            id: event.run,
            agent: event.agent,
            status: 'running',
            usage: { turns: 0, toolCalls: 0, inputTokens: 0, outputTokens: 0 },
            startedAt: new Date().toISOString(),
            ...(event.parent !== undefined && { parent: event.parent }),
          });
          break;
        case 'turn_finished':
          if (row !== undefined) rows.set(event.run, { ...row, usage: add(row.usage, event.usage) });
          break;
        case 'run_closed':
          if (row !== undefined) {
            rows.set(event.run, { ...row, status: event.status, endedAt: new Date().toISOString() });
          }
          break;
        case 'turn_started':
        case 'turn_waiting':
        case 'warning':
          break;
      }
    },
    close() {
      clearInterval(timer);
      draw();
      screen.done();
    },
  };
}

/** A picture that is taller than the terminal cannot be redrawn: the top of it stays, with a word on the rest. */
function fit(lines: string[], height: number): string[] {
  if (lines.length < height) return lines;
  const shown = lines.slice(0, Math.max(1, height - 2));
  return [...shown, `… and ${lines.length - shown.length} more`];
}

function add(one: TreeRow['usage'], other: TreeRow['usage']): TreeRow['usage'] {
  return {
    turns: one.turns + other.turns,
    toolCalls: one.toolCalls + other.toolCalls,
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    nanoUsd: (one.nanoUsd ?? 0) + (other.nanoUsd ?? 0),
  };
}
