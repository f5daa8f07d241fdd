/**
 * The same conversations in the AI SDK: an agent whose tool asks a second agent, turn by turn. It keeps nothing and
 * does not reach beyond its process, so that it shows what a loop of calls costs at least.
 * @returns milliseconds for one model call, in each conversation
 */
export function timeAiSdk(conversations: number): Promise<number[]>;
