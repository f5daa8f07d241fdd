import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Commands } from '../../../src/core/tool-contracts/tool.ts';
import { newTree, openDeployedSandbox, SANDBOX_BUNDLE } from '../../fixtures/deployed-sandbox.ts';
import { sandboxContract } from '../sandbox-contract.ts';

sandboxContract({
  places: '$TMPDIR ~',
  environments: 'tr "\\0" "\\n" < /proc/$PPID/environ',
  async open(files) {
    const { commands, put, text } = await openDeployedSandbox();
    for (const [path, content] of Object.entries(files)) put(`workspace/${path}`, content);
    return {
      commands: commands(newTree()),
      read: (path) => Promise.resolve(text(`workspace/${path}`)),
    };
  },
});

/** A workspace with these files, and its commands. */
async function openWith(files: Record<string, string> = {}) {
  const deployed = await openDeployedSandbox();
  for (const [path, text] of Object.entries(files)) deployed.put(`workspace/${path}`, text);
  const tree = newTree();
  return { ...deployed, run: (command: string) => runIn(deployed.commands(tree), command) };
}

async function runIn(commands: Commands, command: string, tell: (text: string) => void = () => {}) {
  const ended = await commands.run(command, { seconds: 60, signal: new AbortController().signal, tell });
  const { nanoUsd, ...rest } = { nanoUsd: 0, ...ended };
  expect(nanoUsd > 0).toBe(!('refused' in rest));
  return rest;
}

const ran = (output: string, ...notes: unknown[]) => ({
  output,
  left: 0,
  exitCode: 0,
  timedOut: false,
  notes,
});

describe('a command in an account', () => {
  test('finds what others have written since the last one, and not what they have deleted', async () => {
    const { run, put, bucket } = await openWith({ 'a.txt': 'one', 'b.txt': 'two' });
    expect(await run('cat *.txt')).toEqual(ran('onetwo'));
    put('workspace/a.txt', 'new');
    put('workspace/c/d.txt', 'more');
    bucket.objects.delete('workspace/b.txt');
    expect(await run('cat *.txt c/d.txt; ls')).toEqual(ran('newmorea.txt\nc\n'));
  });

  test('writes only what it has changed', async () => {
    const { run, bucket } = await openWith({ 'a.txt': 'one', 'b.txt': 'two' });
    const [a, b] = ['workspace/a.txt', 'workspace/b.txt'].map((key) => bucket.objects.get(key));
    expect(await run('touch a.txt && echo two > c.txt')).toEqual(ran(''));
    expect([bucket.objects.get('workspace/a.txt'), bucket.objects.get('workspace/b.txt')]).toEqual([a, b]);
    expect([...bucket.objects.keys()].sort()).toEqual(['a', 'b', 'c'].map((name) => `workspace/${name}.txt`));
  });

  test.each([
    ['changes', 'echo mine > a.txt', 'theirs'],
    ['deletes', 'rm a.txt', 'theirs'],
    ['makes', 'echo mine > new.txt', 'theirs'],
  ])(
    'leaves a file as somebody else has left it meanwhile, and says so, if it %s it',
    async (_, change, theirs) => {
      const { commands, put, text } = await openWith({ 'a.txt': 'one' });
      const path = change.includes('new') ? 'new.txt' : 'a.txt';
      const tree = commands(newTree());
      // The moment at which the command is at work is the one at which it is heard of.
      const write = (said: string) => said.includes('at work') && put(`workspace/${path}`, theirs);
      const slowly = `${change}; echo at work; while ! test -e go; do sleep 0.05; test $((n += 1)) -gt 10 && break; done`;
      expect(await runIn(tree, slowly, write)).toEqual(
        ran('at work\n', `in the working directory as somebody else has left them meanwhile: ${path}`),
      );
      expect(text(`workspace/${path}`)).toBe(theirs);
      expect(await runIn(tree, `cat ${path}`)).toEqual(ran(theirs));
    },
  );

  test('finds what git ignores, links and empty folders on another machine, too', async () => {
    const { run, cool, bucket } = await openWith({
      '.gitignore': 'build/\n',
      'src/run.sh': '#!/bin/sh\necho run\n',
    });
    const make =
      'mkdir -p node_modules/.bin node_modules/a build empty && echo 1 > node_modules/a/index.js && ' +
      'printf "#!/bin/sh\\necho tool\\n" > build/tool && chmod +x build/tool && ' +
      'ln -s ../../build/tool node_modules/.bin/tool && ln -s /usr/bin/env outside';
    expect(await run(make)).toEqual(ran(''));
    expect([...bucket.objects.keys()].filter((key) => key.startsWith('workspace/')).sort()).toEqual([
      'workspace/.gitignore',
      'workspace/src/run.sh',
    ]);
    await cool();
    const look =
      'node_modules/.bin/tool; cat node_modules/a/index.js; readlink outside; ls -d empty; src/run.sh';
    expect(await run(look)).toEqual(ran('tool\n1\n/usr/bin/env\nempty/\nrun\n'.replace('empty/', 'empty')));
  });

  test('leads nothing out by a link: neither what it writes back nor what is laid out', async () => {
    const { run, put, bucket, text } = await openWith({ 'src/a.txt': 'one' });
    const secret =
      'ln -s /proc/self/environ leak; ln -s /etc/hostname host; rm -r src; ln -s "$TMPDIR/.." src';
    expect(await run(`${secret}; mkdir $TMPDIR/../caught`)).toEqual(ran(''));
    expect([...bucket.objects.keys()].filter((key) => key.startsWith('workspace/'))).toEqual([]);
    put('workspace/src/caught/x.txt', 'laid out');
    expect(await run('cat src/caught/x.txt; ls $TMPDIR/../caught; test -L src || echo folder')).toEqual(
      ran('laid outfolder\n'),
    );
    expect(text('workspace/src/caught/x.txt')).toBe('laid out');
  });

  test('writes neither records of Cadre nor a repository into the workspace, and sees none', async () => {
    const { run, bucket } = await openWith({
      '.cadre-results/x.txt': 'of another',
      '.cadre/y': 'record',
      '.git/config': '[core]',
    });
    expect(
      await run('ls -A; mkdir -p .git/hooks .cadre; echo x | tee .git/hooks/pre-commit .cadre/y'),
    ).toEqual(ran('x\n'));
    expect(
      [...bucket.objects]
        .map(([key, { bytes }]) => [key, String(bytes)])
        .filter(([key]) => key?.startsWith('w')),
    ).toEqual([
      ['workspace/.cadre-results/x.txt', 'of another'],
      ['workspace/.cadre/y', 'record'],
      ['workspace/.git/config', '[core]'],
    ]);
  });

  test('has keys for its own workspace and its own rest alone, even if it takes them', async () => {
    const { bucket, put, commands } = await openWith({ 'a.txt': 'mine' });
    put('workspace@other/a.txt', 'theirs');
    put('runs/x', 'record');
    const tree = newTree();
    expect(await runIn(commands(tree, 'workspace@other*/'), 'ls')).toEqual(ran(''));
    expect(await runIn(commands(tree, 'runs/'), 'ls')).toEqual(ran('x\n'));
    expect(bucket.objects.size).toBe(3);
  });

  test('is not made again where its function dies, and its fate is told at once', async () => {
    const { run, lambda } = await openWith();
    expect(await run('kill -9 $PPID; sleep 60')).toEqual({
      lost: expect.stringMatching(/ExitError|without an answer/),
    });
    expect(lambda.invoked).toHaveLength(1);
    expect(await run('echo again')).toEqual(ran('again\n'));
  });

  test('cannot have its function opened to a debugger', async () => {
    const { run } = await openWith();
    expect(
      await run('kill -USR1 $PPID; sleep 0.3; (echo > /dev/tcp/127.0.0.1/9229) 2>/dev/null || echo closed'),
    ).toEqual(ran('closed\n'));
  });

  test('shares a machine with no other tree', async () => {
    const { commands } = await openWith();
    const [one, other] = [newTree(), newTree()].map((tree) => commands(tree));
    if (one === undefined || other === undefined) throw new Error('two trees');
    const where = async (of: Commands) => JSON.stringify(await runIn(of, 'echo $PPID'));
    const machines = { one: new Set<string>(), other: new Set<string>() };
    // One command right after the other: the machine is free again by then.
    for (let times = 0; times < 8; times++) {
      machines.one.add(await where(one));
      machines.other.add(await where(other));
      machines.one.add(await where(one));
    }
    expect([machines.one.size, machines.other.size]).toEqual([1, 1]);
    expect(machines.one).not.toEqual(machines.other);
  });

  test('runs in an image of the user’s, too, where there is no runtime of Lambda', async () => {
    const { commands, put, text } = await openDeployedSandbox(join(SANDBOX_BUNDLE, 'bootstrap.mjs'));
    put('workspace/a.txt', 'one');
    const tree = commands(newTree());
    expect(await runIn(tree, 'cat a.txt; echo two > b.txt')).toEqual(ran('one'));
    expect(text('workspace/b.txt')).toBe('two\n');
    expect(await runIn(tree, 'cat b.txt')).toEqual(ran('two\n'));
  });
});
