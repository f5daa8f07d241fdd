import type { Json } from '../json.ts';

/**
 * The port that wakes a state which waits for a task token: no more than a hint, since what the state waits for is in
 * the store. No error if none waits for the token any more.
 */
export type Wake = (token: string, output?: Json) => Promise<void>;
