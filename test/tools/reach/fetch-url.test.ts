import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createFetchUrl, type FetchUrlOptions } from '../../../src/tools/reach/fetch-url.ts';
import { isPublicAddress } from '../../../src/tools/reach/public-address.ts';

/** Only this one of the addresses of this machine may be reached, under any name. */
const ADDRESS = '127.0.0.1';
const local: FetchUrlOptions = {
  ranges: [`${ADDRESS}/32`],
  resolve: () => Promise.resolve([{ address: ADDRESS, family: 4 }]),
};
const HOSTS = ['docs.test', '*.wild.test'];

async function serve(answer: RequestListener, host = ADDRESS) {
  const server = createServer(answer).listen(0, host);
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const refusalToFollow = () => undefined;

function fetchUrl(url: string, options: FetchUrlOptions = {}, allowedHosts: string[] = HOSTS) {
  const { signal } = new AbortController();
  return createFetchUrl({ ...local, ...options })(url, { allowedHosts, refusalToFollow, signal });
}

const page =
  (
    body: string | Uint8Array,
    headers: Record<string, string> = { 'content-type': 'text/plain' },
  ): RequestListener =>
  (_, response) =>
    response.writeHead(200, headers).end(body);

describe('a URL', () => {
  test.each([
    ['not a url', '"not a url" is not a URL: write, for instance, https://docs.example.com/page'],
    ['file:///etc/passwd', 'only http and https are fetched, not file'],
    ['data:text/plain,x', 'only http and https are fetched, not data'],
    ['https://me:secret@docs.test/', 'a URL with a user name or a password in it is not fetched'],
    ['https://other.test/', 'host "other.test" is not in allowed_hosts (allowed: docs.test, *.wild.test)'],
    ['https://docs.test.evil.test/', /^host "docs\.test\.evil\.test" is not in allowed_hosts/],
    ['https://wild.test/', /^host "wild\.test" is not in allowed_hosts/],
    ['https://notwild.test/', /^host "notwild\.test" is not in allowed_hosts/],
    ['http://127.0.0.1/', /^host "127\.0\.0\.1" is not in allowed_hosts/],
  ])('%s is refused', async (url, words) => {
    expect(await fetchUrl(url)).toEqual({
      refused: typeof words === 'string' ? words : expect.stringMatching(words),
    });
  });

  test('is refused where the agent may reach no host', async () => {
    expect(await fetchUrl('https://docs.test/', {}, [])).toEqual({
      refused: 'host "docs.test" is not in allowed_hosts (the agent has none)',
    });
  });

  test.each(['docs.test', 'DOCS.test', 'docs.test.', 'a.wild.test', 'a.b.wild.test'])(
    'of the allowed host %s is fetched',
    async (host) => {
      const port = await serve(page('hello'));
      expect(await fetchUrl(`http://${host}:${port}/a?b#c`)).toMatchObject({ text: 'hello' });
    },
  );
});

describe('an address', () => {
  test.each([
    '127.0.0.1',
    '127.9.9.9',
    '0.0.0.0',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '100.100.100.200',
    '192.0.0.192',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '240.0.0.1',
    '168.63.129.16',
    '::',
    '::1',
    'fe80::1',
    'fc00::1',
    'fd00:ec2::254',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:a9fe:a9fe',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001:0:7f00:1::',
    'fec0::1',
    '2001:db8::1',
    'x',
    '',
  ])('%s is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test.each(['1.1.1.1', '93.184.216.34', '2606:4700:4700::1111', '::ffff:1.1.1.1'])(
    '%s is public',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  test('in a private network is never public, however it is written', () => {
    const byte = fc.nat({ max: 255 });
    const first = fc.constantFrom('10', '127', '0', '192.168', '169.254', '172.20');
    fc.assert(
      fc.property(first, fc.array(byte, { minLength: 3, maxLength: 3 }), (start, rest) => {
        const address = [...start.split('.'), ...rest].slice(0, 4).join('.');
        expect([address, `::ffff:${address}`].map(isPublicAddress)).toEqual([false, false]);
      }),
    );
  });

  test.each([
    ['http://127.0.0.1/', '127.0.0.1'],
    ['http://2130706433/', '127.0.0.1'],
    ['http://0x7f.1/', '127.0.0.1'],
    ['http://[::1]/', '[::1]'],
    ['http://[::ffff:127.0.0.1]/', '[::ffff:7f00:1]'],
    ['http://169.254.169.254/latest/meta-data/', '169.254.169.254'],
  ])('that is not public is refused even where %s is an allowed host', async (url, host) => {
    const { signal } = new AbortController();
    expect(await createFetchUrl()(url, { allowedHosts: [host], refusalToFollow, signal })).toEqual({
      refused: `host "${host}" is not on the public internet`,
    });
  });

  test.each([
    ['private', ['10.0.0.1'], '10.0.0.1'],
    ['private among public ones', ['1.1.1.1', '169.254.169.254'], '169.254.169.254'],
    ['of this machine in IPv6', ['::1'], '::1'],
  ])('that a name resolves to is refused where it is %s', async (_, addresses, named) => {
    const resolve = async () =>
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    expect(await fetchUrl('https://docs.test/', { ranges: [], resolve })).toEqual({
      refused: `host "docs.test" (${named}) is not on the public internet`,
    });
  });

  test('is resolved once, and the one that was checked is connected to', async () => {
    const port = await serve(page('checked'));
    const answers = [ADDRESS, '127.0.0.2'];
    const asked: string[] = [];
    const resolve = async (host: string) => {
      asked.push(host);
      return [{ address: answers[asked.length - 1] ?? '', family: 4 }];
    };
    const url = `http://docs.test:${port}/`;
    expect(await fetchUrl(url, { resolve })).toEqual({ text: 'checked', url });
    expect(asked).toEqual(['docs.test']);
    // Another call is another connection, whose address is checked again.
    expect(await fetchUrl(url, { resolve })).toMatchObject({ refused: expect.stringContaining('127.0.0.2') });
  });
});

describe('a redirect', () => {
  const leadingTo =
    (location: string): RequestListener =>
    ({ url }, response) =>
      url === '/here' ? response.end('there') : response.writeHead(302, { location }).end();

  test('to an allowed host is followed, and told of', async () => {
    const port = await serve(leadingTo('/here'));
    expect(await fetchUrl(`http://docs.test:${port}/`)).toEqual({
      text: 'there',
      url: `http://docs.test:${port}/here`,
    });
  });

  test.each([
    ['http://other.test/', /^host "other\.test" is not in allowed_hosts/],
    ['http://169.254.169.254/', /^host "169\.254\.169\.254" is not in allowed_hosts/],
    ['file:///etc/passwd', /^only http and https/],
    ['//me:x@docs.test/', /^a URL with a user name/],
    ['/again', /leads on more than 5 times$/],
  ])('to %s is refused', async (location, words) => {
    const port = await serve(leadingTo(location));
    expect(await fetchUrl(`http://docs.test:${port}/`)).toEqual({ refused: expect.stringMatching(words) });
  });

  test('to a name that resolves to a private address is refused', async () => {
    const port = await serve(leadingTo('http://in.wild.test/'));
    const resolve = async (host: string) => [
      { address: host === 'docs.test' ? ADDRESS : '10.0.0.1', family: 4 },
    ];
    expect(await fetchUrl(`http://docs.test:${port}/`, { resolve })).toMatchObject({
      refused: expect.stringContaining('(10.0.0.1) is not on the public internet'),
    });
  });
});

describe('an answer', () => {
  test('in HTML is given as text with its links', async () => {
    const html = `<html><head><title>x</title><style>p{}</style><script>evil()</script></head><body>
      <h1>Title</h1><p>One <b>two</b> <a href="/a">three</a>,
      <a href="https://x.test/">https://x.test/</a>, <a href="#top">up</a>.</p><ul><li>item</li></ul><img src="x.png"></body></html>`;
    const port = await serve(page(html, { 'content-type': 'text/html; charset=utf-8' }));
    const { text } = { text: '', ...(await fetchUrl(`http://docs.test:${port}/`)) };
    expect(text).toBe(`Title\n\nOne two three [http://docs.test:${port}/a], https://x.test/, up.\n\n * item`);
  });

  test('in HTML has its headings as they are written', async () => {
    const headings = [1, 2, 3, 4, 5, 6].map((level) => `<h${level}>Heading ${level}</h${level}>`);
    const port = await serve(page(headings.join(''), { 'content-type': 'text/html' }));
    const { text } = { text: '', ...(await fetchUrl(`http://docs.test:${port}/`)) };
    expect(text.split(/\n+/)).toEqual([1, 2, 3, 4, 5, 6].map((level) => `Heading ${level}`));
  });

  test.each([
    ['/a', 'http://docs.test/a'],
    ['b?c#d', 'http://docs.test/guide/b?c#d'],
    ['?c', 'http://docs.test/guide/page?c'],
    ['//x.test', 'http://x.test/'],
    [' https://x.test/y ', 'https://x.test/y'],
    ['mailto:me@x.test', 'me@x.test'],
    ['#top', undefined],
    ['javascript:go()', undefined],
    ['data:text/html,x', undefined],
    ['http://[', undefined],
  ])('in HTML has a link to %j with its whole address', async (href, target) => {
    const port = await serve(page(`<a href="${href}">it</a>.`, { 'content-type': 'text/html' }));
    const { text } = { text: '', ...(await fetchUrl(`http://docs.test:${port}/guide/page?x=1`)) };
    expect(text.replace(`:${port}`, '')).toBe(target === undefined ? 'it.' : `it [${target}].`);
  });

  test.each([
    ['links against its base', '<base href="/b/"><a href="c">it</a>', 'it [http://docs.test/b/c]'],
    ['a link behind all of its text', '<a href="/a"><h2>One</h2></a>two', 'One [http://docs.test/a]\n\ntwo'],
    [
      'a link in a link',
      '<a href="/a">one <a href="/b">two</a>',
      'one [http://docs.test/a] two [http://docs.test/b]',
    ],
    ['rows and cells', '<table><tr><th>A<th>B<tr><td>1<td><td>2</table>end', 'A | B\n1 | | 2\n\nend'],
    ['cells with blocks', '<tr><td><p>a</p><td>b', 'a\n\nb'],
    [
      'lists in lists',
      'a<ul><li>b<ol start=9><li>c<li>d<br>e</ol><li><p>f</ul>g',
      'a\n\n * b\n   9. c\n   10. d\n       e\n\n * f\n\ng',
    ],
    ['quotes', '<blockquote>a<br>b<p>c</blockquote>d', '> a\n> b\n\n> c\n\nd'],
    ['lines as they are', '<p>a<pre>\n  b\n\n    c &lt;\n</pre>d', 'a\n\n\n  b\n\n    c <\n\nd'],
    ['Roman numbers', '<ol type=i start=9000><li>a', ' 9000. a'],
    ['words', 'a<b>b</b> c&amp;d&nbsp;e\n\t<i> f </i>g<template>h</template>', 'ab c&d\u00a0e f g'],
    ['nothing', '<title>a</title><script>b</script><style>c</style><img alt=d>', '(nothing)'],
  ])('in HTML has %s', async (_, html, text) => {
    const port = await serve(page(html, { 'content-type': 'text/html' }));
    const fetched = { text: '', ...(await fetchUrl(`http://docs.test:${port}/`)) };
    expect(fetched.text.replaceAll(`:${port}`, '') || '(nothing)').toBe(text);
  });

  test('in HTML as deep as one can be is read', async () => {
    const port = await serve(page('<i>'.repeat(2_000), { 'content-type': 'text/html' }));
    expect(await fetchUrl(`http://docs.test:${port}/`)).not.toHaveProperty('refused');
  });

  test.each([
    ['a step deeper than one can be', '<i>'.repeat(2_001)],
    ['of one element more than one can have', '<img>'.repeat(100_001)],
    ['nested without end', '<div></x>'.repeat(100_000)],
    ['that is far longer as text', `${'<ul><li>'.repeat(9)}<pre>${'a\n'.repeat(2_000_000)}`],
    ['of too many elements', '<p>x</p>'.repeat(200_000)],
  ])('in HTML %s is refused', async (_, html) => {
    const port = await serve(page(html, { 'content-type': 'text/html' }));
    const url = `http://docs.test:${port}/`;
    expect(await fetchUrl(url)).toEqual({ refused: `${url} has too many elements to be read as a page` });
  });

  test.each([
    'application/json',
    'application/ld+json; charset=utf-8',
    'text/csv',
    'application/atom+xml',
    'text/xml',
  ])('of type %s is given as it is', async (type) => {
    const port = await serve(page('{"a":1}', { 'content-type': type }));
    expect(await fetchUrl(`http://docs.test:${port}/`)).toMatchObject({ text: '{"a":1}' });
  });

  test.each(['image/png', 'application/pdf', 'application/octet-stream', 'video/mp4'])(
    'of type %s is refused by name',
    async (type) => {
      const port = await serve(page('x', { 'content-type': type }));
      const url = `http://docs.test:${port}/`;
      expect(await fetchUrl(url)).toEqual({
        refused: `${url} is ${type}: only texts, JSON, XML and HTML are fetched`,
      });
    },
  );

  test('is read in its own encoding', async () => {
    const port = await serve(
      page(Buffer.from('Gr\xfc\xdfe', 'latin1'), { 'content-type': 'text/plain; charset="ISO-8859-1"' }),
    );
    expect(await fetchUrl(`http://docs.test:${port}/`)).toMatchObject({ text: 'Grüße' });
  });

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('is unpacked from %s', async (encoding, pack) => {
    const headers = { 'content-type': 'text/plain', 'content-encoding': encoding };
    const port = await serve(page(pack('packed'), headers));
    expect(await fetchUrl(`http://docs.test:${port}/`)).toMatchObject({ text: 'packed' });
  });

  test.each([
    ['as it is', {}, Buffer.alloc(6 * 2 ** 20, 'x')],
    ['unpacked', { 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(50 * 2 ** 20, 'x'))],
  ])('that is too large %s is refused', async (_, headers, body) => {
    const port = await serve(page(body, { 'content-type': 'text/plain', ...headers }));
    const url = `http://docs.test:${port}/`;
    expect(await fetchUrl(url)).toEqual({ refused: `${url} is larger than 5 MB` });
  });

  test('that is an error is told of with its status', async () => {
    const port = await serve((_, response) => response.writeHead(404).end('no'));
    const url = `http://docs.test:${port}/x`;
    expect(await fetchUrl(url)).toEqual({ refused: `${url} answered 404 Not Found` });
  });

  test.each([
    ['as it is', {}, Buffer.from('x')],
    ['packed', { 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(4_096, 'x')).subarray(0, 20)],
  ])('that breaks off %s is told of', async (_, headers, part) => {
    const port = await serve((__, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', ...headers });
      response.write(part, () => response.destroy());
    });
    const url = `http://docs.test:${port}/`;
    expect(await fetchUrl(url, { timeoutMs: 20_000 })).toEqual({
      refused: `${url} could not be fetched: aborted`,
    });
  });

  test('is asked for as what can be read', async () => {
    const port = await serve(({ method, headers }, response) => {
      const { host: _, connection: __, ...said } = headers;
      response.end(JSON.stringify({ method, ...said }));
    });
    const { text } = { text: '', ...(await fetchUrl(`http://docs.test:${port}/`)) };
    expect(JSON.parse(text)).toEqual({
      method: 'GET',
      accept: 'text/html, text/*;q=0.9, application/json;q=0.9, application/xml;q=0.8, */*;q=0.1',
      'accept-encoding': 'gzip, deflate, br',
      'user-agent': 'cadre',
    });
  });

  test('that never comes, or never ends, is given up', async () => {
    const silent = await serve(() => {});
    const endless = await serve((_, response) =>
      response.writeHead(200, { 'content-type': 'text/plain' }).write('x'),
    );
    for (const port of [silent, endless]) {
      const url = `http://docs.test:${port}/`;
      expect(await fetchUrl(url, { timeoutMs: 100 })).toEqual({ refused: `${url} took longer than 0.1s` });
    }
  });

  test('that nobody gives is told of', async () => {
    expect(await fetchUrl('http://docs.test:1/')).toEqual({
      refused: expect.stringMatching(/could not be fetched: .*ECONNREFUSED/),
    });
  });

  test('is left when the call is stopped', async () => {
    const stop = new AbortController();
    const port = await serve(() => stop.abort(new Error('stopped')));
    const fetching = createFetchUrl(local)(`http://docs.test:${port}/`, {
      allowedHosts: HOSTS,
      refusalToFollow,
      signal: stop.signal,
    });
    await expect(fetching).rejects.toThrow('stopped');
  });
});
