import { messageOf } from '../../errors.ts';
import { identityOf } from '../../core/events/event.ts';
import type { LiveBus } from '../../core/events/live.ts';
import type { RunStore } from '../../core/records/ports.ts';
import type { UnansweredQuestion } from '../../core/records/question.ts';
import type { Secrets } from '../../core/records/secrets.ts';
import { reminderDue } from '../../core/reports/notification.ts';
import type { WaitingState } from '../../core/turn/ask-person.ts';
import type { Notify } from '../notify/notifier.ts';
import type { NotifySettings } from '../notify/settings.ts';
import type { LocalTime } from '../time.ts';

/** Tells people elsewhere of the questions of this process. */
export interface LocalNotices {
  asked(waiting: WaitingState): void;
  /** Reminds nobody any more. */
  close(): void;
}

export interface LocalNoticesPorts {
  settings: NotifySettings;
  secrets: Secrets;
  store: RunStore;
  /** The address of a server of this folder, if there is one. */
  base: () => Promise<string | undefined>;
  live: LiveBus;
  time: LocalTime;
}

/** Nothing waits for it, and nothing fails where people cannot be told: the question is in the store. */
export function createLocalNotices({ store, live, time, ...ports }: LocalNoticesPorts): LocalNotices {
  let notify: Promise<Notify> | undefined;
  const reminders = new Set<() => void>();

  async function tell({ run, question }: WaitingState, open: UnansweredQuestion, isReminder: boolean) {
    try {
      if ((await store.answer(question)) !== undefined) return;
      await (
        await (notify ??= load())
      )(open, isReminder);
    } catch (thrown) {
      live.tell({ type: 'warning', ...identityOf(run), message: messageOf(thrown) });
    }
  }

  async function load(): Promise<Notify> {
    const { createNotifier } = await import('../notify/notifier.ts');
    return createNotifier({ ...ports, store, now: () => time.now() });
  }

  return {
    asked(waiting) {
      const { question, token, until } = waiting;
      const open = { question, wait: { token, until } };
      void tell(waiting, open, false);
      const due = reminderDue(open);
      if (due === undefined) return;
      const cancel = time.after(due - time.now(), () => {
        reminders.delete(cancel);
        void tell(waiting, open, true);
      });
      reminders.add(cancel);
    },
    close: () => reminders.forEach((cancel) => cancel()),
  };
}
