import * as v from 'valibot';

/** The model that carries out a delegation. No agent can choose it: its answers are computed. */
export const DELEGATION_MODEL = 'planned/delegation';

/** The arguments of `delegate_task`: the first message of the conversation that carries it out, as JSON. */
export const DelegatedTask = v.object({
  plan: v.string(),
  subtasks: v.array(
    v.object({
      task: v.string(),
      /** "" for none. */
      scope: v.string(),
      /** Earlier subtasks whose responses it is given, from 0. */
      dependsOn: v.array(v.number()),
    }),
  ),
  /** Whether subtasks that depend on nothing unfinished are carried out at the same time, or all in order. */
  atOnce: v.boolean(),
});
export type DelegatedTask = v.InferOutput<typeof DelegatedTask>;
