import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openSandbox } from '../../../src/places/aws/sandbox/sandbox.ts';
import { checksumOf, startS3Server } from '../../fixtures/s3-server.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

const PATH = process.env['PATH'];

/** A bucket with files of a workspace, and machines on which commands run in it. */
async function open(files: Record<string, string>) {
  const bucket = await startS3Server('texts');
  onTestFinished(() => bucket.close());
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ENDPOINT_URL_S3', bucket.endpoint);
  const put = (key: string, text: string) => {
    const bytes = Buffer.from(text);
    bucket.objects.set(key, { bytes, contentType: '', checksum: checksumOf(bytes) });
  };
  for (const [path, text] of Object.entries(files)) put(`workspace/${path}`, text);
  const machine = async () => {
    const base = await tempFolder();
    const sandbox = openSandbox({ base, path: PATH, isAlone: false });
    const told: string[] = [];
    const run = async (command: string, { seconds = 60, secondsLeft = 200 } = {}) =>
      sandbox(
        {
          command,
          seconds,
          bucket: 'texts',
          prefix: 'workspace/',
          rest: 'sandbox/top/',
          credentials: { accessKeyId: 'test', secretAccessKey: 'b', sessionToken: 'c' },
        },
        { secondsLeft, tell: (text) => void told.push(text) },
      );
    return { base, run, told };
  };
  const texts = () =>
    Object.fromEntries(
      [...bucket.objects].flatMap(([key, { bytes }]) =>
        key.startsWith('workspace/') ? [[key.slice('workspace/'.length), String(bytes)]] : [],
      ),
    );
  return { bucket, put, machine, texts };
}

const ran = (output: string, ...notes: unknown[]) => ({
  ended: { output, left: 0, exitCode: 0, killedBy: undefined, timedOut: false, notes },
});

test('a command works in a copy of its workspace, has folders of its own, and leaves nothing else', async () => {
  const { machine, texts } = await open({ 'a.txt': 'one', 'b.txt': 'two', '.cadre/x': 'record' });
  const { base, run, told } = await machine();
  const command =
    'cat a.txt; echo; echo $HOME $TMPDIR $LANG; touch ~/x $TMPDIR/y; echo new > c.txt; rm b.txt; ls -A';
  const output = `one\n${join(base, 'home')} ${join(base, 'tmp')} C.UTF-8\na.txt\nc.txt\n`;
  expect(await run(command)).toEqual(ran(output));
  expect([told.join(''), texts()]).toEqual([
    output,
    { 'a.txt': 'one', 'c.txt': 'new\n', '.cadre/x': 'record' },
  ]);
  expect(['home', 'tmp', 'work'].map((name) => existsSync(join(base, name)))).toEqual([false, false, true]);
});

test('what is not part of the workspace is there for the next command, on any machine, unless it is damaged', async () => {
  const { bucket, machine, put } = await open({ '.gitignore': 'build/\n', 'a.txt': 'one' });
  const [one, other, last] = [await machine(), await machine(), await machine()];
  const look = 'cat build/x node_modules/y';
  expect(
    await one.run(`mkdir build node_modules; echo 1 > build/x; echo 2 > node_modules/y; ${look}`),
  ).toEqual(ran('1\n2\n'));
  put('workspace/a.txt', 'changed');
  expect(await one.run(`${look} a.txt`)).toEqual(ran('1\n2\nchanged'));
  expect(await other.run(`${look} a.txt`)).toEqual(ran('1\n2\nchanged'));
  put('sandbox/top/rest.tar.gz', 'damaged');
  expect(await last.run('ls build node_modules 2>/dev/null; cat a.txt')).toEqual(
    ran(
      'changed',
      expect.stringMatching(/^not there again: what .gitignore names, and node_modules \(.+\)$/),
    ),
  );
  expect([...bucket.objects.keys()].filter((key) => key.startsWith('workspace/'))).toEqual([
    'workspace/.gitignore',
    'workspace/a.txt',
  ]);
});

test('a command has no more time than is left, but for a minute in which its files are written back', async () => {
  const { machine } = await open({ 'a.txt': 'one' });
  const { run } = await machine();
  expect(await run('true', { secondsLeft: 60 })).toEqual({
    refused: 'the working directory could not be laid out for commands: it took too long',
  });
  // A shell that is about to become the program may drop the first signal.
  const killedBy = expect.stringMatching(/^SIG(TERM|KILL)$/);
  const late = { output: '', left: 0, exitCode: undefined, killedBy, timedOut: true, notes: [] };
  expect(await run('exec sleep 60', { seconds: 0.1 })).toEqual({ ended: late });
});
