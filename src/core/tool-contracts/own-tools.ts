import type { PlannedTool } from './planned-tool.ts';
import type { Tool } from './tool.ts';

/** Tools of ours that are loaded, by name. */
export interface OwnTools {
  /** A tool that a function carries out; undefined if there is none of that name. */
  carriedOut(name: string): Tool | undefined;
  /** A tool whose calls are planned without a function that carries them out. */
  planned(name: string): PlannedTool | undefined;
}

/**
 * The port through which the core gets tools: loads our tools with one of the names. A function starts faster without
 * those that its conversation does not have.
 */
export type LoadOwnTools = (names: readonly string[]) => Promise<OwnTools>;
