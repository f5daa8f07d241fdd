import type { Context } from 'hono';
import { hashOf, NotAttached, toAttachment } from '../../core/attachments/to-attachment.ts';
import { isHash, type Attachment, type NewAttachment } from '../../core/records/attachment.ts';
import { attachmentsIn } from '../../core/records/message-texts.ts';
import { ownerOf } from '../../core/records/owner.ts';
import type { Run } from '../../core/records/run.ts';
import { dispositionOf, uploaderOf } from '../../places/uploads.ts';
import { checkTogether } from './attached.ts';
import type { ApiContext } from './context.ts';
import { answer } from './json-answer.ts';
import { Problem } from './problem.ts';
import { parseBody } from './request.ts';
import { NewUpload } from './request-bodies.ts';

/** More than this is no answer of a function. */
const MOST_IN_ANSWER = 3 * 2 ** 20;

/** Says where a client puts a file that a run is to be shown. */
export async function placeAttachment(c: Context, { environment, caller }: ApiContext): Promise<Response> {
  const { hash, bytes } = await parseBody(c, NewUpload);
  const { url, headers } = await environment.uploads.place({
    by: uploaderOf(ownerOf(caller ?? {})),
    hash,
    bytes,
  });
  return answer(c, 201, { hash, url: new URL(url, c.req.url).href, headers });
}

/**
 * Takes an uploaded file, where clients upload to this server.
 * @throws {Problem} 404 where they upload elsewhere; 400 for other bytes than the hash says; 415 for a kind of file
 *   that no run can be shown
 */
export async function putAttachment(c: Context, hash: string, context: ApiContext): Promise<Response> {
  const { uploads } = context.environment;
  if (uploads.take === undefined)
    throw new Problem(404, 'put the file to the address that POST /attachments gives');
  const bytes = new Uint8Array(await c.req.arrayBuffer());
  if (hashOf(bytes) !== hash) throw new Problem(400, `the body is not the file with the SHA-256 ${hash}`);
  attach(bytes);
  await uploads.take(uploaderOf(ownerOf(context.caller ?? {})), hash, bytes);
  return c.body(null, 204);
}

/**
 * The uploaded files that a request of the caller names.
 * @throws {Problem} 422 for one that is missing, or cannot be shown
 */
export async function namedFiles(
  hashes: readonly string[],
  { environment, caller }: Pick<ApiContext, 'caller' | 'environment'>,
): Promise<NewAttachment[]> {
  const by = uploaderOf(ownerOf(caller ?? {}));
  const files = await Promise.all(
    [...new Set(hashes)].map(async (hash) => {
      const bytes = await environment.uploads.read(by, hash);
      if (bytes === undefined)
        throw new Problem(422, `there is no attachment ${hash}: POST /attachments says where to put it`);
      return attach(bytes);
    }),
  );
  checkTogether(files);
  return files;
}

function attach(bytes: Uint8Array): NewAttachment {
  try {
    return toAttachment(bytes);
  } catch (error) {
    if (error instanceof NotAttached) throw new Problem(415, `the file ${error.message}`);
    throw error;
  }
}

/**
 * The bytes of what is attached to a message or a result of a run, or where they are if answers have to be short.
 * @throws {Problem} 404 for any other hash
 */
export async function readAttachment(
  run: Run,
  hash: string,
  { environment: { records, uploads }, streams }: Pick<ApiContext, 'environment' | 'streams'>,
): Promise<Response> {
  const attachment = isHash(hash) ? await attachmentOf(run, hash, records) : undefined;
  const file = attachment && (await records.attachment(run.root, hash));
  if (attachment === undefined || file === undefined) {
    throw new Problem(404, `run ${JSON.stringify(run.id)} has no attachment ${JSON.stringify(hash)}`);
  }
  const bytes = Buffer.from(file.data, 'base64');
  if (!streams && uploads.publish !== undefined && bytes.length > MOST_IN_ANSWER) {
    const location = await uploads.publish(run.root, attachment, bytes);
    return new Response(null, { status: 302, headers: { location, 'cache-control': 'no-store' } });
  }
  return new Response(bytes, { headers: fileHeaders(attachment.type) });
}

/** @param type of a file that came from anywhere, and may hold scripts */
export function fileHeaders(type: string): Record<string, string> {
  return {
    'content-type': type,
    'content-security-policy': "default-src 'none'; sandbox",
    'content-disposition': dispositionOf(type),
    'cache-control': 'private, max-age=31536000, immutable',
  };
}

async function attachmentOf(
  run: Run,
  hash: string,
  records: ApiContext['environment']['records'],
): Promise<Attachment | undefined> {
  const [opened, turns] = await Promise.all([records.opened(run.id), records.turns(run.id)]);
  const { attachments = [], earlier = [], later = [] } = opened ?? {};
  const received = turns.flatMap((turn) => turn.received);
  return [...attachments, ...attachmentsIn([...earlier, ...later, ...received])].find(
    (one) => one.hash === hash,
  );
}
