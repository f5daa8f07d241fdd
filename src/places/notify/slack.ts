import type { Notification } from '../../core/reports/notification.ts';
import { argumentsText, deadlineText, headlineOf } from './words.ts';

/** Slack, "Section block": at most 3,000 characters, of which marks around a text take some. */
const MAX_CHARACTERS = 2_900;

/** A message for an incoming webhook of Slack (its documentation, "Block Kit"), with a plain text for notifications. */
export function slackMessage(notification: Notification, task: string): { text: string; blocks: object[] } {
  const { question, choices, answer_url, url } = notification;
  const headline = headlineOf(notification);
  const called = argumentsText(notification);
  const listed = choices.map((choice) => `• ${choice}`).join('\n');
  return {
    text: escaped(`${headline}: ${question}`),
    blocks: [
      section(`*${escaped(headline)}*`),
      section(escaped(question)),
      ...(called === '' ? [] : [section(`\`\`\`${escaped(called)}\`\`\``)]),
      ...(listed === '' || notification.tool !== null ? [] : [section(escaped(listed))]),
      { type: 'context', elements: [{ type: 'mrkdwn', text: escaped(deadlineText(notification, task)) }] },
      ...(answer_url === null
        ? []
        : [
            {
              type: 'actions',
              elements: [
                { ...button('Answer', answer_url), style: 'primary' },
                ...(url === null ? [] : [button('Open the run', url)]),
              ],
            },
          ]),
    ],
  };
}

function section(text: string): object {
  return { type: 'section', text: { type: 'mrkdwn', text } };
}

function button(label: string, url: string): object {
  return { type: 'button', text: { type: 'plain_text', text: label }, url };
}

/**
 * A model's text is shown without meaning: no link, no mention (Slack, "Escaping text"). Escapes count towards the
 * length, and half of one would be shown as it is.
 */
function escaped(text: string): string {
  const whole = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return whole.length <= MAX_CHARACTERS ? whole : `${whole.slice(0, MAX_CHARACTERS).replace(/&\w*$/, '')}…`;
}
