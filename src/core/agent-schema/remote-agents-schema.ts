import { seconds } from '../records/times.ts';
import * as v from 'valibot';
import type { ToolServer } from '../records/tool-server.ts';
import { pathItem, required, textsByName, uniqueNames } from './key-types.ts';
import { headerFault, SERVER_NAME, urlFault } from './server-schema.ts';
import { secretFault } from './variable-faults.ts';

/** For one request: what the agent does meanwhile takes as long as it likes. */
const REQUEST_SECONDS = 60;

const remoteAgent = v.object(
  {
    name: v.pipe(
      v.string('a string'),
      v.regex(
        SERVER_NAME,
        '{key} is at most 32 letters, digits, "-" and "_", with no "__" and no "_" at either end',
      ),
      v.description('What the agent is called here, and how call_agent names it.'),
    ),
    url: required('Where the agent is: the address of its card, or the one below which its card is.'),
    headers: textsByName('Headers for each request. ${NAME} stands for a secret.'),
  },
  '{key} is missing',
);
type WrittenAgent = v.InferOutput<typeof remoteAgent>;

/** `[[remote_agents]]` of the agent file: agents of others, which speak Agent2Agent. */
export const remoteAgentsSchema = v.optional(
  v.pipe(
    v.array(v.pipe(remoteAgent, v.rawCheck(check), v.transform(toServer)), 'an array of tables'),
    uniqueNames('is the name of another remote agent'),
    v.description('Agents of others, which speak Agent2Agent: sub-agents of this one.'),
  ),
  [],
);

function check({ dataset, addIssue }: v.RawCheckContext<WrittenAgent>): void {
  if (!dataset.typed) return;
  const { url, headers } = dataset.value;
  const fault = urlFault(url);
  if (fault !== undefined) addIssue({ message: fault, path: [pathItem(dataset.value, 'url')] });
  for (const [name, value] of Object.entries(headers)) {
    const message = headerFault(name, value) ?? secretFault(name, value, 'remote agent');
    if (message === undefined) continue;
    addIssue({ message, path: [pathItem(dataset.value, 'headers'), pathItem(headers, name)] });
  }
}

function toServer({ name, url, headers }: WrittenAgent): ToolServer {
  return {
    name,
    reach: { kind: 'url', protocol: 'a2a', url, headers },
    tools: [],
    disallowedTools: [],
    readOnly: [],
    timeout: seconds(REQUEST_SECONDS),
    required: false,
  };
}
