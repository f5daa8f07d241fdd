/** The blob port: texts that are too large for a table item. A blob never changes once it is written. */
export interface Blobs {
  /** Writes the text under the key; repeating the same write is harmless. */
  put(key: string, text: string): Promise<void>;

  /**
   * Reads a blob, and checks one that is named for its content.
   * @throws {StoreError} if there is none, since a reference to it means that it was written, or if it was changed
   */
  get(key: string): Promise<string>;

  /** Removes the blob, if there is one. */
  delete(key: string): Promise<void>;

  /** Removes all blobs whose keys begin with these segments; absent where blobs expire in the end. */
  deleteBelow?(segments: string): Promise<void>;
}

/** The address of a text, from which holders can fetch it for a while. */
export interface Published {
  url: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
}
