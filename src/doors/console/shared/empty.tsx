import type { ComponentChildren } from 'preact';

/** In place of things of which there are none: what would be here, and how to come by it. */
export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}
