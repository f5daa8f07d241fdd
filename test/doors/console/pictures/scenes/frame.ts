import type { SeenPage } from '../seen-page.ts';
import { aPlace, aQuestion, anAgent, agentsOf, NOW, questionsOf } from '../answers.ts';
import type { Scene } from '../draw.ts';
import { HOSTILE } from './texts.ts';

const SIGN_IN = {
  issuer: 'https://id.example.com',
  authorization_endpoint: 'https://id.example.com/authorize',
  token_endpoint: 'https://id.example.com/token',
  client_id: 'cadre',
  scope: 'openid',
};

const refused = { status: 401, detail: 'a token is needed' };
const shut = { agents: refused, runs: refused, questions: refused, costs: refused };

const edit = (id: string, path: string) =>
  aQuestion({
    question_id: id,
    question: `May it change ${path}?`,
    choices: ['approve', 'deny', 'always'],
    tool: 'edit_file',
    arguments: { path, old_string: 'amount: number', new_string: 'cents: bigint' },
  });

const over = (more: Partial<Scene>): Scene => ({
  at: '#/runs',
  answers: aPlace(),
  until: (page) => page.locator('main h1').waitFor(),
  isInSight: true,
  ...more,
});

const session = (over: object) => ({
  session: { 'cadre-session': JSON.stringify({ token: 'x', who: 'anna@example.com', ...over }) },
});

const press = (name: string) => (page: SeenPage) => page.getByRole('button', { name }).first().click();

export const FRAME: Record<string, Scene> = {
  'frame-palette': over({ act: (page) => page.keyboard.press('Control+k') }),
  'frame-palette-found': over({
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.keyboard.type('rel');
    },
  }),
  'frame-palette-nothing': over({
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.keyboard.type('nothing like this');
    },
  }),
  'frame-keys': over({ act: (page) => page.keyboard.press('?') }),
  'frame-questions': over({
    answers: aPlace({
      questions: questionsOf(
        aQuestion(),
        edit('t3c1', 'src/payments.ts'),
        aQuestion({
          agent: 'release',
          question: HOSTILE,
          choices: [HOSTILE.slice(0, 60), 'Neither'],
          question_id: 't1c1',
        }),
      ),
    }),
    act: press('Questions'),
  }),
  'frame-questions-alike': over({
    answers: aPlace({
      questions: questionsOf(
        ...['pay', 'refund', 'card', 'order'].map((name, index) =>
          edit(`t2c${index + 1}`, `src/money/${name}.ts`),
        ),
      ),
    }),
    act: press('Questions'),
  }),
  'frame-no-questions': over({ act: press('Questions') }),
  'frame-start': over({ act: press('Start a run'), until: 'Runs' }),
  'frame-start-limits': over({
    answers: aPlace({
      agents: {
        ...agentsOf(anAgent('review', { description: 'Reviews a change from several sides' })),
        faults: [
          {
            agent: 'broken',
            detail: 'agents/broken.toml:3:9: unknown tool "read_fiel"; did you mean "read_file"?',
          },
        ],
      },
    }),
    act: async (page) => {
      await press('Start a run')(page);
      await page.getByText('Model and limits').click();
    },
  }),
  'frame-signed-in': over({
    answers: aPlace({ 'console-config.json': { environment: 'production', sign_in: SIGN_IN } }),
    kept: session({ endsAt: NOW + 3_600_000 }),
    until: 'production',
  }),
  'frame-session-ends': over({
    answers: aPlace({ 'console-config.json': { environment: 'production', sign_in: SIGN_IN } }),
    kept: session({ endsAt: NOW + 120_000 }),
    until: 'Your sign-in ends',
  }),
  'frame-token': over({ answers: shut, until: 'This server asks for a token' }),
  'frame-token-refused': over({ answers: shut, kept: session({}), until: 'does not accept the token' }),
  'frame-signed-out': over({
    answers: { ...shut, 'console-config.json': { sign_in: SIGN_IN } },
    kept: { session: { 'cadre-signed-out': 'yes' } },
    until: 'You are signed out.',
  }),
  'frame-nowhere': over({ at: '#/no/such/place', until: 'This address leads nowhere' }),
};
