/** How a plane lies under a frame. */
export interface View {
  x: number;
  y: number;
  scale: number;
}

const LEAST = 0.2;
const MOST = 2;
const READABLE = 0.75;

interface Size {
  width: number;
  height: number;
}

/** The whole plane in the middle of the frame, never larger than it is drawn. */
export function fitting(plane: Size, frame: Size): View {
  return lying(plane, frame, LEAST);
}

/** The same as far as its texts can be read: of a plane that is larger, the left part. */
export function opening(plane: Size, frame: Size): View {
  return lying(plane, frame, READABLE);
}

function lying(plane: Size, frame: Size, least: number): View {
  if (frame.width === 0 || plane.width === 0) return { x: 0, y: 0, scale: 1 };
  const scale = Math.max(least, Math.min(1, frame.width / plane.width, frame.height / plane.height));
  const middle = (whole: number, part: number) => (whole - part * scale) / 2;
  return { x: Math.max(0, middle(frame.width, plane.width)), y: middle(frame.height, plane.height), scale };
}

/** @param at the point of the frame that stays where it is */
export function zoomed({ x, y, scale }: View, factor: number, at: { x: number; y: number }): View {
  const next = Math.min(MOST, Math.max(LEAST, scale * factor));
  const moveBy = next / scale;
  return { x: at.x - (at.x - x) * moveBy, y: at.y - (at.y - y) * moveBy, scale: next };
}

export function moved({ x, y, scale }: View, dx: number, dy: number): View {
  return { x: x + dx, y: y + dy, scale };
}
