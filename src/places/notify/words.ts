import type { Notification } from '../../core/reports/notification.ts';

/** What a person reads first: `style asks (reminder)`. */
export function headlineOf({ agent, tool, type }: Notification): string {
  const asks = tool === null ? `${agent} asks` : `${agent} asks to call ${tool}`;
  return type === 'reminder' ? `${asks} (reminder)` : asks;
}

export function argumentsText({ arguments: given }: Notification): string {
  return given === null ? '' : JSON.stringify(given, undefined, 2);
}

/** Until when an answer counts, and for what. */
export function deadlineText({ expires_at, run_id }: Notification, task: string): string {
  const until = expires_at === null ? '' : `Until ${expires_at.slice(0, 16).replace('T', ' ')} UTC. `;
  return `${until}Task: ${task} (run ${run_id})`;
}

/** An e-mail in words. SNS takes subjects of less than 100 ASCII characters, without line breaks. */
export function mailOf(notification: Notification, task: string): { subject: string; text: string } {
  const { question, choices, tool, answer_url, url } = notification;
  const headline = headlineOf(notification);
  const parts = [
    `${headline}:`,
    question,
    argumentsText(notification),
    ...(tool === null && choices.length > 0 ? [choices.map((choice) => `- ${choice}`).join('\n')] : []),
    deadlineText(notification, task),
    ...(answer_url === null ? [] : [`Answer here, once: ${answer_url}`]),
    ...(url === null ? [] : [`The run: ${url}`]),
  ];
  return {
    subject: headline.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 99),
    text: parts.filter((part) => part !== '').join('\n\n'),
  };
}
