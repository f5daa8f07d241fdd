import { useRef, useState } from 'preact/hooks';
import { moved, type View } from './view.ts';

/** Where the plane is, and what moves it with a pointer. */
export function useView() {
  const [view, setView] = useState<View>({ x: 0, y: 0, scale: 1 });
  const [isDragged, setIsDragged] = useState(false);
  const last = useRef<{ x: number; y: number } | undefined>(undefined);
  const end = () => {
    last.current = undefined;
    setIsDragged(false);
  };
  const dragging = {
    onPointerDown(event: PointerEvent) {
      // A press on an agent is a click on its link.
      if (event.button !== 0 || (event.target instanceof Element && event.target.closest('a') !== null))
        return;
      last.current = { x: event.clientX, y: event.clientY };
      setIsDragged(true);
      if (event.currentTarget instanceof Element) event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove({ clientX: x, clientY: y }: PointerEvent) {
      const before = last.current;
      if (before === undefined) return;
      last.current = { x, y };
      setView((now) => moved(now, x - before.x, y - before.y));
    },
    onPointerUp: end,
    onPointerCancel: end,
  };
  return { view, setView, isDragged, dragging };
}
