import type { FUNCTIONS } from '../../src/authoring/plan/functions.ts';

export type Name = keyof typeof FUNCTIONS;

/** Each function that is always the same code; the compiler refuses one that is missing here, or too many. */
const ALL: Record<Name, true> = {
  api: true,
  batch: true,
  control: true,
  doors: true,
  notify: true,
  open: true,
  settle: true,
  telemetry: true,
  tool: true,
  turn: true,
  watch: true,
};
const isName = (name: string): name is Name => Object.hasOwn(ALL, name);

export const NAMES: readonly Name[] = Object.keys(ALL).filter(isName);
