import type { Opened } from './opened.ts';

/** The same conversation with another model, of which what its agent's file says of its own model does not hold. */
export function withModel(opened: Opened, model: string): Opened {
  if (model === opened.model) return opened;
  const { context, images: _, ...same } = opened;
  return { ...same, ...(context && { context: { compact: context.compact } }), model };
}
