import type { Context } from 'hono';
import { html } from 'hono/html';
import { Hono } from 'hono/tiny';
import { AnsweredError } from '../../core/lifecycle/answer-question.ts';
import type { CallKey } from '../../core/records/call.ts';
import type { Question } from '../../core/records/question.ts';
import { wholeApproval } from '../../core/turn/hooked-question.ts';
import { ConfigError } from '../../errors.ts';
import type { Environment } from '../../places/environment.ts';
import { questionBehind } from '../../places/notify/answer-links.ts';
import { nameHidden } from '../../shown-characters.ts';
import { ANSWER_PATH } from './door-paths.ts';
import { limitBody } from './limit-body.ts';

export type AnswerPageContext = Pick<Environment, 'answer' | 'records'>;

/** Who answered, for the record: the address was sent to several people, and does not tell which of them used it. */
const BY_LINK = 'an answer link';

/** It runs and loads nothing, cannot be framed or cached, and tells nobody its address. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex',
};

/**
 * The page behind an answer link: it shows one question and takes its answer, without any other permission. Looking at
 * it changes nothing, since programs that scan mails follow the links in them.
 */
export function createAnswerPage({ answer, records }: AnswerPageContext): Hono {
  const page = new Hono();
  // Whoever serves it knows what to do with a fault.
  page.onError((thrown) => {
    throw thrown;
  });
  page.use(ANSWER_PATH, limitBody());
  page.get(ANSWER_PATH, async (c) => {
    const question = await questionOf(c, records);
    if (question === undefined) return unknown(c);
    const ended = await records.answer(question);
    if (ended !== undefined) return over(c, ended.text !== undefined);
    return show(c, 200, question, await argumentsOf(question, records));
  });
  page.post(ANSWER_PATH, async (c) => {
    const question = await questionOf(c, records);
    if (question === undefined) return unknown(c);
    const form = await c.req.parseBody().catch(unreadable);
    if (form === undefined)
      return show(c, 400, question, await argumentsOf(question, records), 'the form cannot be read');
    try {
      await answer(question, { text: given(question, form) }, BY_LINK);
    } catch (thrown) {
      if (thrown instanceof AnsweredError) {
        const ended = await records.answer(question);
        return over(c, ended?.text !== undefined);
      }
      if (!(thrown instanceof ConfigError)) throw thrown;
      return show(c, 400, question, await argumentsOf(question, records), thrown.message);
    }
    return say(c, 200, 'Thank you', 'Your answer was taken. The agent goes on with it.');
  });
  return page;
}

/** @throws what is no fault of the client */
function unreadable(thrown: unknown): undefined {
  if (!(thrown instanceof TypeError)) throw thrown;
}

async function questionOf(c: Context, records: AnswerPageContext['records']): Promise<Question | undefined> {
  const at: CallKey | undefined = await questionBehind(c.req.param('token') ?? '', records);
  return at && (await records.question(at));
}

/** A button is an answer; a text beside the button that denies is the reason. */
function given({ approval }: Question, form: Record<string, unknown>): string {
  const text = typeof form['text'] === 'string' ? form['text'].trim() : '';
  const choice = typeof form['choice'] === 'string' ? form['choice'] : '';
  if (choice === '') return text;
  return approval !== undefined && choice === 'deny' && text !== '' ? `deny: ${text}` : choice;
}

/** Of what waits for approval, whole: a person answers for all of it. */
async function argumentsOf(
  question: Question,
  records: AnswerPageContext['records'],
): Promise<string | undefined> {
  const { approval } = question;
  if (approval === undefined) return undefined;
  return JSON.stringify((await wholeApproval(question, records)) ?? approval.arguments, undefined, 2);
}

function unknown(c: Context): Response | Promise<Response> {
  return say(c, 404, 'Nothing to answer here', 'There is no question at this address.');
}

function over(c: Context, isAnswered: boolean): Response | Promise<Response> {
  return say(
    c,
    410,
    isAnswered ? 'Answered already' : 'Too late',
    isAnswered ? 'Somebody was quicker. Nothing was changed.' : 'The time for an answer is over.',
  );
}

function say(c: Context, status: 200 | 404 | 410, title: string, text: string): Response | Promise<Response> {
  return c.html(document(title, html`<p>${text}</p>`), status, HEADERS);
}

function show(
  c: Context,
  status: 200 | 400,
  { agent, question, choices = [], approval, leadsTo }: Question,
  called: string | undefined,
  fault?: string,
): Response | Promise<Response> {
  const isOfCall = approval !== undefined && approval.about === undefined;
  const title = isOfCall ? `${agent} asks to call ${approval.tool}` : `${agent} asks`;
  const label = approval === undefined ? 'Your answer' : 'A reason, if you deny it';
  const form = html`
    ${fault === undefined ? '' : html`<p role="alert"><strong>Not taken:</strong> ${fault}</p>`}
    <p class="question">${nameHidden(question)}</p>
    ${called === undefined ? '' : html`<pre>${nameHidden(called)}</pre>`}
    ${leadsTo === undefined ? '' : html`<p>Its path leads to <code>${nameHidden(leadsTo)}</code>.</p>`}
    <form method="post">
      <label>${label} <textarea name="text" rows="4" maxlength="100000"></textarea></label>
      ${choices.map((choice) => html`<button name="choice" value="${choice}">${nameHidden(choice)}</button>`)}
      ${approval === undefined ? html`<button>Send</button>` : ''}
    </form>
  `;
  return c.html(document(title, form), status, HEADERS);
}

function document(title: string, body: unknown) {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Cadre</title>
        <style>
          body {
            font:
              1rem/1.5 system-ui,
              sans-serif;
            max-width: 40rem;
            margin: 2rem auto;
            padding: 0 1rem;
          }
          .question,
          pre {
            white-space: pre-wrap;
            overflow-wrap: anywhere;
          }
          pre {
            border: 1px solid;
            padding: 0.75rem;
          }
          textarea {
            display: block;
            box-sizing: border-box;
            width: 100%;
            margin: 0.25rem 0 1rem;
            font: inherit;
          }
          button {
            font: inherit;
            padding: 0.5rem 1rem;
            margin: 0 0.5rem 0.5rem 0;
            max-width: 100%;
            overflow-wrap: anywhere;
          }
        </style>
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html>`;
}
