import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { EXIT } from '../../../../src/doors/cli/terminal/exit-code.ts';
import type { RunIo } from '../../../../src/doors/cli/terminal/io.ts';
import { processIo } from '../../../../src/doors/cli/terminal/process-io.ts';
import { png } from '../../../fixtures/images.ts';

const STREAMS = ['stdin', 'stdout', 'stderr'] as const;

/** What is seen of a terminal, whose streams stand in for those of the process. @param attributes of each of them */
function openProcess(attributes: Partial<Record<(typeof STREAMS)[number], object>> = {}, stdin?: Readable) {
  const streams = { stdin: stdin ?? new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  for (const name of STREAMS) {
    const before = Object.getOwnPropertyDescriptor(process, name) ?? {};
    Object.assign(streams[name], attributes[name]);
    Object.defineProperty(process, name, { value: streams[name], configurable: true });
    onTestFinished(() => void Object.defineProperty(process, name, before));
  }
  // The process of the tests hears none of it.
  const listening: [event: unknown, listener: (...given: unknown[]) => void][] = [];
  for (const way of ['on', 'once'] as const) {
    vi.spyOn(process, way).mockImplementation((event, listener) => {
      listening.push([event, listener]);
      return process;
    });
  }
  const emit = (event: string) => {
    for (const [own, listener] of listening) if (own === event) listener(event);
  };
  const exits: unknown[] = [];
  vi.spyOn(process, 'exit').mockImplementation((code) => {
    exits.push(code);
    throw new Error('it has ended');
  });
  const io: RunIo = processIo();
  const told = async (name: 'stdout' | 'stderr') => {
    streams[name].end();
    return String(await buffer(streams[name]));
  };
  return { io, streams, emit, exits, told };
}

const TTY = { isTTY: true, columns: 80, hasColors: () => true };

test('what is piped stays byte for byte, and nothing is known of a terminal', async () => {
  const { io, told } = openProcess();
  io.stdout('a\u001b[1mb');
  io.answer('c');
  io.stderr('d\u001b[1m\n');
  expect(await told('stdout')).toBe('a\u001b[1mbc');
  expect(await told('stderr')).toBe('d\ufffd[1m\n');
  expect(Object.keys(io).sort()).toEqual(
    [
      'stdout',
      'answer',
      'stderr',
      'env',
      'cwd',
      'user',
      'readStdin',
      'lines',
      'interrupted',
      'interrupt',
      'unread',
    ].sort(),
  );
  expect([io.env, io.cwd]).toEqual([process.env, process.cwd()]);
});

test('a terminal is sent no control characters, and says what it can show', async () => {
  vi.stubEnv('TERM', 'xterm');
  const { io, streams, told } = openProcess({ stdin: { isTTY: true }, stdout: TTY, stderr: TTY });
  io.stdout('a\u001b[1mb\n');
  io.answer('c');
  io.answer('d\n');
  io.answer('');
  io.styled?.('\u001b[1me\n');
  expect(await told('stdout')).toBe('a\ufffd[1mb\nc\nd\n\u001b[1me\n');
  expect([io.columns, io.terminal, io.keyboard]).toEqual([80, streams.stderr, streams.stdin]);
  expect(await io.readStdin()).toBe('');
});

test.each([
  [{ stdout: { ...TTY, columns: 0, hasColors: () => false } }, []],
  [{ stdout: TTY }, ['columns', 'styled']],
  [{ stderr: TTY }, ['terminal']],
  [{ stderr: { ...TTY, columns: 0 }, stdin: { isTTY: true } }, ['confirm']],
  [{ stderr: TTY, stdin: { isTTY: true } }, ['confirm', 'keyboard', 'terminal']],
])('a process with %j has what it can use', (attributes, names) => {
  vi.stubEnv('TERM', 'xterm');
  const { io } = openProcess(attributes);
  const all = ['columns', 'confirm', 'keyboard', 'styled', 'terminal'] as const;
  expect(all.filter((name) => io[name] !== undefined)).toEqual(names);
});

test('a dumb terminal has nothing redrawn', () => {
  vi.stubEnv('TERM', 'dumb');
  expect(openProcess({ stderr: TTY }).io.terminal).toBeUndefined();
});

test.each([
  ['y\n', true],
  [' Yes \n', true],
  ['yess\n', false],
  ['\n', false],
])('a person who is asked and types %j says %j', async (typed, answer) => {
  const { io, streams, told } = openProcess({ stdin: { isTTY: true }, stderr: { isTTY: true } });
  const confirmed = io.confirm?.('Sure?\u001b');
  streams.stdin.push(typed);
  expect(await confirmed).toBe(answer);
  expect(await told('stderr')).toContain('Sure?\ufffd [y/N] ');
});

test('the end of the input is no, and so is Ctrl-C', async () => {
  const ended = openProcess({ stdin: { isTTY: true }, stderr: { isTTY: true } });
  const confirmed = ended.io.confirm?.('Sure?');
  ended.streams.stdin.push(null);
  expect(await confirmed).toBe(false);
  const stopped = openProcess({ stdin: { isTTY: true }, stderr: { isTTY: true } });
  const asked = stopped.io.confirm?.('Sure?');
  stopped.io.interrupt?.();
  expect(await asked).toBe(false);
});

test('the second signal ends the process at once, and a closed terminal ends it as the signal does', () => {
  const { io, emit, exits } = openProcess();
  const { interrupted } = io;
  emit('SIGTERM');
  expect([interrupted.aborted, interrupted.reason, exits]).toEqual([true, 'SIGTERM', []]);
  expect(() => io.interrupt?.()).toThrow('it has ended');
  expect(exits).toEqual([EXIT.interrupted]);

  const closed = openProcess();
  const killed = vi.spyOn(process, 'kill').mockReturnValue(true);
  const removed = vi.spyOn(process, 'removeAllListeners').mockReturnValue(process);
  const hungUp = closed.io.interrupted;
  closed.emit('SIGHUP');
  expect([hungUp.reason, closed.exits]).toEqual(['SIGHUP', []]);
  closed.emit('exit');
  expect([removed.mock.calls, killed.mock.calls]).toEqual([[['SIGHUP']], [[process.pid, 'SIGHUP']]]);
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'])('%s ends at once what does not listen to it', (signal) => {
  const { emit, exits } = openProcess();
  expect(() => emit(signal)).toThrow('it has ended');
  expect(exits).toEqual([EXIT.interrupted]);
});

test('no line is waited for after a signal', async () => {
  const { io, emit, exits } = openProcess();
  const { interrupted } = io;
  const next = io.lines()[Symbol.asyncIterator]().next();
  emit('SIGTERM');
  expect([await next, interrupted.aborted, exits]).toEqual([{ done: true, value: undefined }, true, []]);
});

test('a reader that goes away is no fault, and an answer that cannot be written is', async () => {
  const { io, streams, exits, told } = openProcess();
  const gone = Object.assign(new Error('gone'), { code: 'EPIPE' });
  const isUnread = [streams.stderr, streams.stdout].map((stream) => {
    stream.emit('error', gone);
    return io.unread.aborted;
  });
  expect([isUnread, exits]).toEqual([[false, true], []]);
  expect(() =>
    streams.stdout.emit('error', Object.assign(new Error('no space'), { code: 'ENOSPC' })),
  ).toThrow('it has ended');
  expect(exits).toEqual([EXIT.agent]);
  expect(await told('stderr')).toBe(
    'Error: cannot write to stdout: no space; see the answer with: cadre runs\n',
  );
});

test('standard input is a text, or an image or a PDF, and no more than a model reads', async () => {
  const read = (...chunks: Uint8Array[]) => openProcess({}, Readable.from(chunks)).io.readStdin();
  const [one, other] = [Buffer.from('\ufeffgr'), Buffer.from('üße')];
  expect(await read(one, other.subarray(0, 1), other.subarray(1))).toBe('\ufeffgrüße');
  const image = png(4, 3);
  expect(await read(image)).toEqual(image);
  await expect(read(Buffer.from([0xff, 0xfe]))).rejects.toThrow(
    'stdin is neither UTF-8 text nor a PNG, JPEG, GIF or WebP image or a PDF document; pass one of these',
  );
  const most = Buffer.alloc(16 * 1024 * 1024, 'a');
  expect(await read(most)).toHaveLength(most.length);
  await expect(read(most, Buffer.from('a'))).rejects.toThrow(
    "stdin is larger than 16 MB; pass less, or list files in the agent's file",
  );
});

test('lines are read one by one', async () => {
  const { io } = openProcess({}, Readable.from([Buffer.from('one\ntwo')]));
  const lines: string[] = [];
  for await (const line of io.lines?.() ?? []) lines.push(line);
  expect(lines).toEqual(['one', 'two']);
});
