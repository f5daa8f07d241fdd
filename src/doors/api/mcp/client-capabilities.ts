import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as v from 'valibot';

/** What the client of a call can do, as it says itself. */

/** The extension of the protocol by which a call is answered with a task. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

const anything = v.exactOptional(v.unknown());
const Declared = v.object({
  elicitation: v.exactOptional(v.object({ form: anything, url: anything })),
  extensions: v.exactOptional(v.record(v.string(), v.unknown())),
});

/** What each request of the newer era says of its client. */
const Envelope = v.object({ [CLIENT_CAPABILITIES_META_KEY]: Declared });

/**
 * Whether the client shows forms.
 * @param known what it said when it connected, if this is a connection that knows
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
