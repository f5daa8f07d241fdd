/**
 * The format of what outlives a deployment: inputs of executions, and records of runs. Executions under way keep the
 * definition and the functions that they began with, while those that they start use the newest, so each release must
 * read what earlier ones wrote. The number goes up with every change that an earlier release could not read, or would
 * read wrongly:
 *
 * 1. A sub-agent is opened from its agent's file.
 * 2. A plan may say how a sub-agent is derived from its caller, which an earlier release would open from the file.
 * 3. A plan may have a gate: an earlier release would make the call without asking.
 */
export const FORMAT = 3;
