import type { Attachment } from '../core/records/attachment.ts';
import { ownerKeyOf, type Owned } from '../core/records/owner.ts';

/** A file that a client is about to leave. */
export interface Upload {
  /** Whose it is, as `uploaderOf` names it. */
  by: string;
  /** SHA-256 of its bytes, in hexadecimal digits. */
  hash: string;
  bytes: number;
}

/** Where a client puts it. */
export interface UploadPlace {
  /** Absolute, or relative to that of the door. */
  url: string;
  /** Those that the request has to have. */
  headers: Record<string, string>;
}

/**
 * Files that clients upload before the request that names them. Each belongs to whoever uploaded it: nobody else finds
 * it, even by its hash. They are kept for at least a day.
 */
export interface Uploads {
  place(upload: Upload): Promise<UploadPlace>;
  /** Keeps the bytes, of this hash; absent where clients put files elsewhere. */
  take?(by: string, hash: string, bytes: Uint8Array): Promise<void>;
  /** @returns undefined if there is no such file of theirs */
  read(by: string, hash: string): Promise<Uint8Array | undefined>;
  /**
   * Keeps a tree's attachment for a while where whoever has the address can read it; absent where answers may be as
   * long as the file.
   * @returns the address
   */
  publish?(root: string, attachment: Attachment, bytes: Uint8Array): Promise<string>;
}

/** Browsers show images; what else there is they save. */
export function dispositionOf(type: string): string {
  return type.startsWith('image/') ? 'inline' : 'attachment';
}

/** The name under which a caller's files are stored. @param caller neither owner nor issuer: the account */
export function uploaderOf(caller: Owned): string {
  return ownerKeyOf(caller) ?? 'account';
}
