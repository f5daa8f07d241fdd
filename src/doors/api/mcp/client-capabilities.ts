import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as v from 'valibot';

/** The capabilities of a call's client, by its own words. */

/** The extension of the protocol by which a call is answered with a task. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

const anything = v.exactOptional(v.unknown());
const Declared = v.object({
  elicitation: v.exactOptional(v.object({ form: anything, url: anything })),
  extensions: v.exactOptional(v.record(v.string(), v.unknown())),
});

/** Each request's words about its client, in the newer era. */
const Envelope = v.object({ [CLIENT_CAPABILITIES_META_KEY]: Declared });

/**
 * Whether the client shows forms.
 * @param known its words when it connected, if the connection has them
 */
export function canElicit({ mcpReq }: ServerContext, known: ClientCapabilities | undefined): boolean {
  const { elicitation } = declaredIn(mcpReq) ?? known ?? {};
  // One that names no way to ask means forms.
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** Whether the client of this request can be answered with a task, which each request has to say. */
export function takesTasks({ mcpReq }: ServerContext): boolean {
  const tasks = declaredIn(mcpReq)?.extensions?.[TASKS_EXTENSION];
  return typeof tasks === 'object' && tasks !== null;
}

function declaredIn({ envelope }: ServerContext['mcpReq']): v.InferOutput<typeof Declared> | undefined {
  const said = v.safeParse(Envelope, envelope);
  return said.success ? said.output[CLIENT_CAPABILITIES_META_KEY] : undefined;
}
