/** Files that models can be shown, by how they begin. */
const SHOWN = /^(\x89PNG\r\n|\xff\xd8\xff|GIF8[79]a|RIFF[^]{4}WEBP|%PDF-)/;

/** Whether a file is an image or a PDF that can be attached, by its first bytes. */
export async function isShown(file: Blob): Promise<boolean> {
  const start = new Uint8Array(await file.slice(0, 16).arrayBuffer());
  return SHOWN.test(String.fromCharCode(...start));
}
