import { Role, type Message, type Part } from '@a2a-js/sdk';
import { ContentTypeNotSupportedError, RequestMalformedError } from '@a2a-js/sdk/errors';
import type { NewAttachment } from '../../../core/records/attachment.ts';
import { isShallow } from '../../../json.ts';
import { attachTo, checkTogether } from '../attached.ts';
import { MAX_BODY_BYTES } from '../limit-body.ts';
import { Problem } from '../problem.ts';

/** What a client says in a message. */
export interface Incoming {
  text: string;
  files: NewAttachment[];
  /** The first value among its parts that is no text. */
  data: unknown;
}

/**
 * The parts of a message as an agent reads them: texts as they are, values as JSON, images and PDFs as attachments.
 * @throws {A2AError} for parts that no agent is told
 * @throws {Problem} 422 for more files than a message may have
 */
export function incoming({ parts, messageId, role }: Message): Incoming {
  if (messageId === '') throw new RequestMalformedError('message.messageId must not be empty');
  if (role !== Role.ROLE_USER && role !== Role.ROLE_AGENT)
    throw new RequestMalformedError('message.role must be ROLE_USER');
  const texts: string[] = [];
  const files: NewAttachment[] = [];
  let data: unknown;
  parts.forEach((part, index) => {
    const { content } = part;
    const field = `message.parts.${index}`;
    switch (content?.$case) {
      case 'text':
        texts.push(content.value);
        break;
      case 'data':
        if (!isShallow(content.value)) throw new RequestMalformedError(`${field} is nested too deeply`);
        data ??= content.value;
        texts.push(JSON.stringify(content.value));
        break;
      case 'raw':
        takeFile(part, content.value, field);
        break;
      case 'url':
        throw new ContentTypeNotSupportedError(
          `${field} is an address; send the file itself, or its address as text`,
        );
      case undefined:
        throw new RequestMalformedError(`${field} has no content`);
    }
  });
  checkTogether(files);
  const text = texts.join('\n').trim();
  if (text.length > MAX_BODY_BYTES) {
    throw new RequestMalformedError(`message.parts must have at most ${MAX_BODY_BYTES} characters of text`);
  }
  if (text === '' && files.length === 0) throw new RequestMalformedError('message.parts say nothing');
  return { text, files, data };

  function takeFile({ mediaType }: Part, bytes: Buffer, field: string): void {
    if (/^text\/|\/json$/.test(mediaType)) texts.push(bytes.toString('utf8'));
    else files.push(attached(bytes, field));
  }
}

function attached(bytes: Buffer, field: string): NewAttachment {
  try {
    return attachTo(bytes, field);
  } catch (thrown) {
    if (thrown instanceof Problem) throw new ContentTypeNotSupportedError(thrown.message);
    throw thrown;
  }
}
