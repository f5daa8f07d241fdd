import { useRef } from 'preact/hooks';

/** A key for the request: however often the same is sent, because an answer was lost, it starts one run. */
export function useKeys(): (asked: string) => string {
  const last = useRef({ asked: '', key: '' });
  return (asked) => {
    if (last.current.asked !== asked) last.current = { asked, key: newKey() };
    return last.current.key;
  };
}

/** Also where the page came over plain HTTP, and `crypto.randomUUID` is missing. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16)).join('');
}
