import { described, inPlaceOf } from '../core/reports/words/attachment-words.ts';
import { refusalOf, type Takes } from '../core/attachments/takes.ts';
import type { ModelRequest, Showing } from '../core/model/model.ts';
import { textName, type Attachment, type Said } from '../core/records/attachment.ts';
import { attachmentsIn } from '../core/records/message-texts.ts';
import type { Message } from '../core/records/message.ts';

/** As `withFiles`. @throws {AgentError} for a file that has been deleted */
export async function loadFiles(
  request: ModelRequest,
  showing: Showing,
  sees: () => Promise<boolean> = async () => false,
): Promise<ModelRequest> {
  const attached = attachmentsIn(request.messages);
  const hasImages = attached.some(({ type }) => type !== 'application/pdf');
  const images = showing.takes.images ?? (hasImages && (await sees()));
  const takes: Takes = { ...showing.takes, images };
  const isShown = (one: Attachment) => refusalOf(one, takes) === undefined;
  const texts = await read(
    attached
      .filter((one) => one.type === 'application/pdf' && !isShown(one))
      .map(({ hash }) => textName(hash)),
    showing,
  );
  const inWords = (attachment: Attachment, text: string) => {
    const words = described(attachment);
    return [
      ...(text.includes(words) ? [] : [inPlaceOf(attachment, refusalOf(attachment, takes) || undefined)]),
      ...[texts.get(textName(attachment.hash)) ?? []].flat(),
    ];
  };
  const shown = <Part extends Said>(part: Part) => {
    const { attachments, text } = part;
    if (attachments === undefined) return part;
    const words = attachments.filter((one) => !isShown(one)).flatMap((one) => inWords(one, text));
    return { ...part, text: [text, ...words].join('\n\n'), attachments: attachments.filter(isShown) };
  };
  const messages = request.messages.map((message): Message => {
    if (message.role === 'assistant') return message;
    return message.role === 'user' ? shown(message) : { ...message, results: message.results.map(shown) };
  });
  const files = await read(
    attached.filter(isShown).map(({ hash }) => hash),
    showing,
  );
  return { ...request, messages, files };
}

/** The files of these names, as far as there are any, each read once. */
async function read(names: readonly string[], showing: Showing): Promise<Map<string, string>> {
  const found = await Promise.all(
    [...new Set(names)].map(async (name) => [name, await showing.read(name)] as const),
  );
  return new Map(found.flatMap(([name, file]) => (file === undefined ? [] : [[name, file.data] as const])));
}
