/** The kinds of files that models may be shown, each by its own type. Texts are part of a message instead. */
export const ATTACHMENT_TYPES = [
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'application/pdf',
] as const;
export type AttachmentType = (typeof ATTACHMENT_TYPES)[number];

/**
 * An image or a document beside the text of a message or a result. Its bytes are stored once for each tree, by their
 * hash, and only read to send them to a model.
 */
export interface Attachment {
  /** SHA-256 of the bytes, in hexadecimal digits. */
  hash: string;
  type: AttachmentType;
  bytes: number;
  /** In pixels, of an image. Absent: its header does not say. */
  width?: number;
  height?: number;
  /** Of a document. Absent: they could not be counted. */
  pages?: number;
}

/** A part of a conversation that may have attachments; absent: it has none. */
export interface WithAttachments {
  attachments?: Attachment[];
}

/** A text of a conversation, with what is attached to it. */
export interface Said extends WithAttachments {
  text: string;
}

/** The bytes of a file in base64, or the text of a document. */
export interface KeptFile {
  data: string;
}

/** Bytes that are still to be kept, with what a record says of them. */
export interface NewAttachment {
  attachment: Attachment;
  bytes: Uint8Array;
}

/** The most bytes that are taken in one attachment, and sent with one request. */
export const MAX_ATTACHED_BYTES = 24 * 2 ** 20;

/** The name under which the text of a document is kept, for models that are not shown it. */
export function textName(hash: string): string {
  return `${hash}.txt`;
}

/** Whether a text is the hash of a file. */
export function isHash(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}
