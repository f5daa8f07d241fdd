import type { PlannedTool } from './planned-tool.ts';
import type { Tool } from './tool.ts';

/** Tools of ours that are loaded, by name. */
export interface OwnTools {
  /** One that a function carries out; undefined where there is none of that name. */
  carriedOut(name: string): Tool | undefined;
  /** One whose calls are planned, with no function that carries them out. */
  planned(name: string): PlannedTool | undefined;
}

/**
 * The port through which the core has tools: loads those of ours that have one of the names. A function starts faster
 * without those that its conversation has not.
 */
export type LoadOwnTools = (names: readonly string[]) => Promise<OwnTools>;
