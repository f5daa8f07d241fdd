/**
 * The formats of everything that outlives a deployment: inputs of executions, and records of runs. Executions under way
 * keep the definition and the functions that they began with, while those that they start use the newest, so each
 * release must read what earlier ones wrote. Each behaviour that an earlier release lacks, and would get wrong without
 * noticing, has the format that brought it.
 */
const FORMATS = {
  /** A sub-agent is opened from its agent's file. */
  subAgentsFromFiles: 1,
  /** A plan may say how a sub-agent is derived from its caller, which an earlier release would open from the file. */
  derivedSubAgents: 2,
  /** A plan may have a gate: an earlier release would make the call without asking. */
  gatedCalls: 3,
  /** A conversation may begin with more than its first message, which an earlier release would not send. */
  forkedConversations: 4,
  /** A conversation may have memory and files of its owner, which an earlier release would share with every caller. */
  ownersApart: 5,
  /** Commands of a conversation may be isolated, which an earlier release would run on the machine itself. */
  isolatedCommands: 6,
  /** Hooks may be asked about a call, which an earlier release would make without asking. */
  hookedCalls: 7,
  /** What a call starts beside its caller may be another agent, which an earlier release would open as a fork. */
  agentsInTheBackground: 8,
  /** The text of the task may be stored only with the request, without which an earlier release would send it. */
  promptsKeptOnce: 9,
} as const;

/** The mark of inputs and records: the newest format, which has all behaviours. */
export const FORMAT = Math.max(...Object.values(FORMATS));
