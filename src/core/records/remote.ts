import * as v from 'valibot';

/** The call of a remote agent: the first message of the conversation that carries it out, as JSON. */
export const RemoteCall = v.object({
  agent: v.string(),
  /** With the context that the caller gives. */
  task: v.string(),
});
export type RemoteCall = v.InferOutput<typeof RemoteCall>;

/**
 * The request to the remote agent, as the arguments of a call: to do a task, to continue one, to tell how far it is, or
 * to give it up.
 */
export const RemoteRequest = v.variant('ask', [
  v.object({ ask: v.literal('send'), message: v.string(), text: v.string(), task: v.optional(v.string()) }),
  v.object({ ask: v.literal('get'), task: v.string() }),
  v.object({ ask: v.literal('cancel'), task: v.string() }),
]);
export type RemoteRequest = v.InferOutput<typeof RemoteRequest>;

/** How far a remote agent is with a task, as the result of such a call. */
export const RemoteState = v.object({
  /** Its name there; absent: it has answered without one. */
  task: v.optional(v.string()),
  state: v.picklist(['working', 'asks', 'done', 'failed', 'canceled']),
  /** Its answer, its question, or why there is none. */
  text: v.string(),
  /** Answers to choose from. */
  choices: v.optional(v.array(v.string())),
});
export type RemoteState = v.InferOutput<typeof RemoteState>;
