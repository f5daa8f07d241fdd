import { spawn, type ChildProcess } from 'node:child_process';
import { ownSearchPath } from './search-path.ts';

/**
 * Reads lines, each with all groups that are at work; the last one counts once the input ends, which the kernel sees to
 * when its writer dies. Processes that left their groups are looked for thrice, at last those that were just being
 * started. $1 is the text in their environment.
 */
const SCRIPT = `
while read -r line; do groups=$line; done
for group in $groups; do kill -9 "-$group"; done
for pause in 0 0 1; do
  sleep $pause
  for found in $(grep -ls -- "$1" /proc/[0-9]*/environ); do
    pid=\${found#/proc/}
    kill -9 "\${pid%/environ}"
  done
done`;

/**
 * A shell that kills what this process has started, should this process die without a chance to do so itself, as by
 * SIGKILL. It has a session of its own, so that no signal to our group ends it, and is the reader of a pipe that only
 * we write to.
 */
export class Watchdog {
  readonly #mark: string;
  #shell: ChildProcess | undefined;
  #groups = '';

  /** @param mark in the environment of every process that is to be killed, and of no other */
  constructor(mark: string) {
    this.#mark = mark;
  }

  /**
   * Where there is no such shell (Windows), nothing happens.
   * @param groups all those that are at work now
   */
  watch(groups: Iterable<number>): void {
    this.#groups = [...groups].join(' ');
    this.#tell();
  }

  /** To be called when this process ends in order. */
  dismiss(): void {
    this.#shell?.kill('SIGKILL');
  }

  #tell(): void {
    this.#shell ??= this.#start();
    this.#shell.stdin?.write(`${this.#groups}\n`);
  }

  #start(): ChildProcess {
    const shell = spawn('/bin/sh', ['-c', SCRIPT, 'cadre-watchdog', this.#mark], {
      cwd: '/',
      env: { PATH: ownSearchPath(process.env['PATH'] ?? '', process.cwd()) },
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    const gone = () => {
      if (this.#shell === shell) this.#shell = undefined;
    };
    shell.on('error', gone).on('exit', (_, signal) => {
      gone();
      // Somebody has ended it, such as a command: the next one is told of everything again.
      if (signal !== null && this.#groups !== '') this.#tell();
    });
    shell.stdin?.on('error', gone);
    shell.unref();
    return shell;
  }
}
