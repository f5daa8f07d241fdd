import { MAX_MESSAGE_CHARACTERS } from '../../../core/lifecycle/persons-message.ts';
import { capturesIn, type Mail } from '../../../core/records/mail.ts';
import { ConfigError } from '../../../errors.ts';
import type { Environment } from '../../../places/environment.ts';

/** The text that a person types between /capture and /fork, kept in the mailboxes of the agents they talk to. */
export interface Captured {
  isGoingOn(): boolean;
  begin(): void;
  /** Goes on with what is kept in the mailbox of a run, if there is anything. */
  resume(run: string): Promise<void>;
  /** @throws {ConfigError} if no fork could read as much */
  add(run: string, text: string): Promise<void>;
  text(): string;
  /** @param fork the run that has been given the text; absent: none is */
  end(fork?: string): Promise<void>;
}

export function createCaptured(environment: Pick<Environment, 'mailbox'>): Captured {
  /** With the runs in whose mailboxes they are; undefined: nothing is captured. */
  let kept: { run: string; mail: Mail }[] | undefined;
  const texts = () => (kept ?? []).map(({ mail }) => mail.body);

  return {
    isGoingOn: () => kept !== undefined,
    begin: () => void (kept ??= []),
    async resume(run) {
      const mails = capturesIn(await environment.mailbox(run).list());
      const open = mails.filter(({ captureEnd }) => captureEnd === undefined);
      if (open.length > 0) kept = open.map((mail) => ({ run, mail }));
    },
    async add(run, line) {
      const length = [...texts(), line].join('\n').length;
      if (length > MAX_MESSAGE_CHARACTERS) {
        throw new ConfigError(
          `this line is not kept: it would make what is captured ${length} characters long, and a fork reads at most ${MAX_MESSAGE_CHARACTERS}`,
        );
      }
      const mail = await environment.mailbox(run).capture(line);
      kept?.push({ run, mail });
    },
    text: () => texts().join('\n'),
    async end(fork) {
      for (const { run, mail } of kept ?? []) await environment.mailbox(run).endCapture(mail.id, fork);
      kept = undefined;
    },
  };
}
