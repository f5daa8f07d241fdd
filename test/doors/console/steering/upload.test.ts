import { createHash } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import { attach } from '../../../../src/doors/console/steering/upload.ts';

afterEach(() => vi.unstubAllGlobals());

const bytes = Buffer.from('an image');
const hash = createHash('sha256').update(bytes).digest('hex');
const image = { name: 'a.png', text: '', shown: new File([bytes], 'a.png') };

/** Attaches an image where the server wants it. @returns what came of it, and all requests */
async function attached(url: string, status = 200, isSecureContext = true) {
  const asked: unknown[] = [];
  vi.stubGlobal('location', { origin: 'https://cadre.example' });
  vi.stubGlobal('isSecureContext', isSecureContext);
  vi.stubGlobal('sessionStorage', { getItem: () => JSON.stringify({ token: 'own' }) });
  vi.stubGlobal('fetch', async (to: string, { method, headers, body }: RequestInit) => {
    const text =
      typeof body === 'string'
        ? body
        : new TextDecoder().decode(body instanceof ArrayBuffer ? body : undefined);
    asked.push([method, to, Object.fromEntries(new Headers(headers)), text]);
    if (method === 'POST') return Response.json({ url, headers: { 'x-of': 'the store' } });
    return new Response(null, { status });
  });
  const text = { name: 'notes.md', text: 'No.' };
  const result = await attach([text, image]).catch((thrown: unknown) => thrown);
  return { result, asked };
}

const posted = [
  'POST',
  'attachments',
  { 'content-type': 'application/json', authorization: 'Bearer own' },
  JSON.stringify({ hash, bytes: bytes.length }),
];

test('an image goes where the server wants it, with the token to the server alone', async () => {
  const [own, other] = ['https://cadre.example/files/1', 'https://store.example/1'];
  const put = (to: string, headers: object) => ['PUT', to, { 'x-of': 'the store', ...headers }, 'an image'];
  expect(await attached(own)).toEqual({
    result: { attachments: [hash] },
    asked: [posted, put(own, { authorization: 'Bearer own' })],
  });
  for (const status of [200, 412]) {
    expect(await attached(other, status)).toEqual({
      result: { attachments: [hash] },
      asked: [posted, put(other, {})],
    });
  }
  expect((await attached(other, 403)).result).toEqual(
    expect.objectContaining({ status: 403, message: 'the file was not taken (403)' }),
  );
  expect(await attach([{ name: 'notes.md', text: 'No.' }])).toEqual({});
});

test('where the browser hashes nothing, it says so and sends nothing', async () => {
  expect(await attached('https://store.example/1', 200, false)).toEqual({
    result: new Error('images and PDFs can be attached over HTTPS alone'),
    asked: [],
  });
});
