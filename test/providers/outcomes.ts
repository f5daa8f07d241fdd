import { ModelError } from '../../src/errors.ts';
import type { Model } from '../../src/core/model/model.ts';
import type { ProviderResponse } from '../fixtures/provider-responses.ts';
import { ask, running } from './requests.ts';
import type { Wire } from './wires.ts';

export type Outcome = Awaited<ReturnType<typeof outcomeOf>>;

/**
 * Cadre's reading of a response that its server is about to give, without the words of Node.js.
 * @param url of the server, which errors name
 */
export async function outcomeOf(
  model: Model,
  wire: Wire,
  url: string,
  { isStream, isOk }: Pick<ProviderResponse, 'isStream' | 'isOk'>,
) {
  const told = { text: '', thinking: '' };
  const request = ask('Begin.', {
    model: wire.model.slice(wire.model.indexOf('/') + 1),
    ...wire.request,
    // A body that is no stream answers a request for such, or reports an error.
    ...(isOk && !isStream && { stream: false }),
  });
  try {
    const answer = await model.send(request, running, (delta) => {
      if (delta.type !== 'alive') told[delta.type] += delta.text;
    });
    return { answer, told };
  } catch (thrown) {
    if (!(thrown instanceof ModelError)) throw thrown;
    const message = thrown.message.replaceAll(url, 'URL').replace(OF_NODE, '…');
    return { error: { category: thrown.category, message, ...thrown.details }, told };
  }
}

/** Node.js words these reasons, and differently from version to version. */
const OF_NODE = /(?<=lost in mid-answer: ).*|(?<=failed to parse response: ).*JSON.*/s;

const CUT = [
  'server: connection to URL lost in mid-answer: …',
  'server: failed to parse response: …',
  // As the SDK of AWS words it.
  'server: failed to parse response: Truncated event message received.',
  'server: stream from URL ended in mid-answer',
];

/** Whether an outcome says that the stream was cut, and that something is to be paid for it. */
export function isCut({ error }: Pick<Outcome, 'error'>): boolean {
  return error !== undefined && CUT.includes(error.message) && error.spent !== undefined;
}
