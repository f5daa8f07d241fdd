import { useRef } from 'preact/hooks';
import { post } from '../client/api.ts';

/** Posts with a key for the request: repeating the same request, because an answer was lost, starts one run only. */
export function usePostOnce(): <T>(path: string, body: object) => Promise<T> {
  const last = useRef({ asked: '', key: '' });
  return (path, body) => {
    const asked = JSON.stringify([path, body]);
    if (last.current.asked !== asked) last.current = { asked, key: newKey() };
    return post(path, body, { 'idempotency-key': last.current.key });
  };
}

/** Also where the page came over plain HTTP, and `crypto.randomUUID` is missing. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16)).join('');
}
