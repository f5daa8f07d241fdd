import type { UploadAddress } from '../../api/answers.ts';
import type { TextFile } from './text-files.ts';
import { ApiError, post, request } from '../client/api.ts';

/** Uploads images and PDFs to where the server wants them. @returns the part of a request that names them */
export async function attach(files: readonly TextFile[]): Promise<{ attachments?: string[] }> {
  const attachments = await Promise.all(
    files.flatMap(({ shown }) => (shown === undefined ? [] : upload(shown))),
  );
  return attachments.length > 0 ? { attachments } : {};
}

/** @returns its hash */
async function upload(file: Blob): Promise<string> {
  // Browsers hash nothing for pages that came over plain HTTP from another machine.
  if (!isSecureContext) throw new Error('images and PDFs can be attached over HTTPS alone');
  const bytes = await file.arrayBuffer();
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  const hash = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
  const { url, headers } = await post<UploadAddress>('attachments', { hash, bytes: bytes.byteLength });
  const put = { method: 'PUT', headers, body: bytes };
  if (new URL(url).origin === location.origin) await request(url, put);
  else {
    const { ok, status } = await fetch(url, put);
    // The same bytes are there already.
    if (!ok && status !== 412) throw new ApiError(status, `the file was not taken (${status})`);
  }
  return hash;
}
