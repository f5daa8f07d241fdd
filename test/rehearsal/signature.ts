import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { REGION } from './stack.ts';

const SECRET = 'test';
const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=test\/(\d{8})\/([\w-]+)\/([\w-]+)\/aws4_request, SignedHeaders=([\w;-]+), Signature=(\w{64})$/;

/** Whether a request to a service is signed with the key "test" (IAM, "Create a signed AWS API request"). */
export function isSigned(
  { method = '', url = '', headers }: IncomingMessage,
  body: Buffer,
  service = 'execute-api',
): boolean {
  const [, day = '', region = '', signedService = '', names = '', signature = ''] =
    AUTHORIZATION.exec(headers.authorization ?? '') ?? [];
  const date = String(headers['x-amz-date']);
  const isWhole = ['host', 'x-amz-date'].every((name) => names.split(';').includes(name));
  if (!isWhole || region !== REGION || signedService !== service || !date.startsWith(day)) return false;
  const { pathname, searchParams } = new URL(url, 'http://loopback');
  const query = [...searchParams].map((pair) => pair.map(encode).join('=')).sort();
  const canonical = [
    method,
    // Encoded once more, in every service but S3.
    pathname.split('/').map(encode).join('/'),
    query.join('&'),
    ...names.split(';').map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    names,
    createHash('sha256').update(body).digest('hex'),
  ].join('\n');
  const digest = createHash('sha256').update(canonical).digest('hex');
  const text = ['AWS4-HMAC-SHA256', date, `${day}/${region}/${service}/aws4_request`, digest].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce<Buffer | string>(hmac, `AWS4${SECRET}`);
  return hmac(key, text).toString('hex') === signature;
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
