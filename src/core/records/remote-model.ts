/** The model that has a remote agent do a task. No agent can choose it: its answers are computed. */
export const REMOTE_MODEL = 'planned/remote';

/** The tool that only a conversation with that model has: it asks the remote agent. */
export const REMOTE_TOOL = 'ask_remote_agent';
