import { errorOutput } from '../core/tool-contracts/error-output.ts';
import { RefusedCall } from '../core/tool-contracts/arguments.ts';
import { textArgument } from './typed-arguments.ts';
import type { Tool } from '../core/tool-contracts/tool.ts';

const MAX_URL = 8_000;
/** More than a page may take, so that it is the page that is said to be late. */
const SECONDS = 40;

/** `fetch_url`: reads a page of one of the hosts that the agent may reach. */
export const fetchUrlTool: Tool = {
  definition: {
    name: 'fetch_url',
    description:
      'Fetch a text over HTTP: plain text, JSON, XML, or HTML, which is returned as text with its links. Only the ' +
      'hosts that this agent may reach, at most 5 MB.',
    parameters: {
      type: 'object',
      properties: { url: { type: 'string', description: 'Address that begins with https:// or http://' } },
      required: ['url'],
    },
  },
  writes: false,
  isRepeatable: true,
  seconds: () => SECONDS,
  subject: (args) => textArgument(args, 'url', Infinity),
  subjectIs: 'address',
  async run(args, { fetchUrl, allowedHosts, refusalToFollow, signal }) {
    if (fetchUrl === undefined) return errorOutput('fetch_url does not work here');
    let url: string;
    try {
      url = textArgument(args, 'url', MAX_URL).trim();
    } catch (thrown) {
      if (thrown instanceof RefusedCall) return errorOutput(thrown.message);
      throw thrown;
    }
    const fetched = await fetchUrl(url, { allowedHosts, refusalToFollow, signal });
    if ('refused' in fetched) return errorOutput(fetched.refused);
    const text = fetched.text.trim() === '' ? '(the page is empty)' : fetched.text;
    const isElsewhere = URL.canParse(url) && new URL(url).href !== fetched.url;
    return { text: isElsewhere ? `[led to ${fetched.url}]\n\n${text}` : text };
  },
};
