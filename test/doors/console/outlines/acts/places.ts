import {
  agentsOf,
  aPlace,
  ago,
  anAgent,
  anOverview,
  calling,
  detailsOf,
  listed,
  listOf,
} from '../../pictures/answers.ts';
import type { Scene } from '../../pictures/draw.ts';
import { type Act, RUN, sceneOf, press, keys, fill, REFUSED } from './act.ts';

const EVALS = {
  evals: [
    {
      id: 'e1',
      file: 'evals/review.toml',
      agent: 'review',
      env: 'staging',
      ended_at: ago(300),
      passed: false,
      variants: [
        { name: 'now', pass: { rate: 0.875, low: 0.6, high: 0.97 }, tries: 8, cached: 3 },
        { name: 'smaller', pass: { rate: 0.5, low: 0.2, high: 0.8 }, tries: 1, cached: 0 },
      ],
      comparisons: [{ from: 'now', to: 'smaller', difference: -0.375, changed: ['a', 'b', 'c'] }],
      thresholds: [
        { variant: 'now', threshold: 'pass_rate', wanted: 0.9, passed: false },
        { variant: 'smaller', threshold: 'usd', wanted: 1, passed: true },
      ],
      failed: [{ case: 'refund', variant: 'smaller', run_id: RUN, reasons: ['no refund', 'too long'] }],
    },
    {
      id: 'e2',
      file: 'evals/small.toml',
      agent: 'tests',
      ended_at: ago(90_000),
      passed: true,
      variants: [{ name: 'now', pass: { rate: 1, low: 0.9, high: 1 }, tries: 20, cached: 0 }],
      comparisons: [],
      thresholds: [{ variant: 'now', threshold: 'pass_rate', wanted: 0.9, passed: false }],
      failed: [{ case: 'one', variant: 'now', run_id: RUN, reasons: ['slow'] }],
    },
  ],
};

const COSTS = { rows: [], next: null, limits: [] };

const SERVERS = {
  servers: [
    { id: 's1', name: 'tickets', host: 'tickets.example', agents: ['review', 'tests'], connected: false },
    {
      id: 's2',
      name: 'wiki',
      host: 'wiki.example',
      agents: ['review'],
      connected: true,
      lacks: 'write admin',
    },
    {
      id: 's3',
      name: 'mail',
      host: 'mail.example',
      agents: ['tests'],
      connected: false,
      how_to: 'cadre mcp login mail',
    },
  ],
};

const servers = (act: Act['act'], answers: Scene['answers'] = {}, at = '#/servers'): Act => ({
  scene: { at, answers: aPlace({ servers: SERVERS, ...answers }), until: 'Servers' },
  act,
  look: 'main',
});

export const PLACES: Record<string, Act> = {
  'filter-runs': {
    scene: sceneOf('runs-many'),
    async act(person) {
      await fill(person, { '.runs-words input': 'refund' });
      await person.pass(300);
      await fill(person, { 'label:nth-of-type(2) select': 'tests', 'label:nth-of-type(3) select': 'failed' });
      await fill(person, { 'label:nth-of-type(4) select': '7d', '.runs-tag': 'team=red' });
      await person.locator('.runs-tag').first().press('Enter');
      await person.look('.runs > :not(ol)');
      await press('Save this filter')(person);
      await person.look('.runs-saved');
      await fill(person, { '.runs-saved input': 'Red ones' });
      await person.locator('.runs-saved [type=submit]').first().click();
      await person.look('.runs-saved');
      await press('team=red')(person);
      await press('Clear')(person);
    },
    look: '.runs > :not(ol)',
  },
  'filters-of-before': {
    scene: { ...sceneOf('runs-saved-filters'), at: '#/runs?status=odd&version=0f3a&tag=a%3Db' },
    async act(person) {
      await person.look('.runs > :not(ol)');
      await press('version: 0f3a')(person);
      await person.locator('.runs-saved a').first().click();
      await person.look('.runs > :not(ol)');
      await person.locator('.runs-saved button').first().click();
    },
    look: '.runs > :not(ol)',
  },
  'agent-failing': {
    scene: sceneOf('agent-whole'),
    answers: { 'agents/review': { status: 500, detail: 'the folder agents cannot be read' } },
    act: async () => {},
    look: 'main',
  },
  'levels-of-agents': {
    scene: sceneOf('agents-few'),
    answers: {
      agents: agentsOf(
        anAgent('review', {
          ...calling('security', 'gone'),
          sub_agents_config: { max_depth: 1, parallel: true, timeout: 0 },
        }),
        anAgent('security', calling('dependencies', 'review')),
        anAgent('dependencies'),
        anAgent('alone'),
      ),
    },
    async act(person) {
      const node = (name: string) => `.agents-node[href$="/${name}"]`;
      await press('Focus on review')(person);
      await person.look('.agents-node');
      await press('Show all')(person);
      for (const name of ['security', 'alone']) {
        await person.move(node(name), ['mouseenter']);
        await person.look('.agents-plane');
        await person.move(node(name), ['mouseleave']);
      }
      await press('Focus on review', 'Focus on review')(person);
    },
    look: '.agents-plane',
  },
  'ways-around-agents': {
    scene: sceneOf('agents-few'),
    async act(person) {
      const canvas = '.agents-canvas';
      const seen = async () => person.glance('.agents-plane, .agents-canvas.dragged');
      await seen();
      for (const name of ['Zoom in', 'Zoom out', 'Fit']) {
        await press(name)(person);
        await seen();
      }
      const moves = ['ArrowLeft', 'ArrowUp', '+', '=', '-', 'ArrowRight', 'ArrowDown', 'Control++', 'x', '0'];
      for (const key of moves) {
        await person.locator(canvas).first().press(key);
        await seen();
      }
      const at = { clientX: 110, clientY: 220, deltaY: -400 };
      await person.move(canvas, ['wheel', at], ['wheel', { ...at, ctrlKey: true }]);
      await seen();
      const here = { button: 0, pointerId: 1, clientX: 10, clientY: 20 };
      const there = { ...here, clientX: 40, clientY: 25 };
      const drags = [
        ['pointermove', there],
        ['pointerdown', { ...here, button: 2 }],
        ['pointermove', there],
        ['pointerdown', here],
        ['pointermove', there],
        ['pointermove', { ...there, clientY: 20 }],
        ['pointerup', there],
        ['pointermove', here],
      ] as const;
      for (const drag of drags) {
        await person.move(canvas, drag);
        await seen();
      }
      await person.move('.agents-node', ['pointerdown', here], ['pointermove', there]);
    },
    look: '.agents-graph',
  },
  'agent-on-a-schedule': {
    scene: sceneOf('agent-whole'),
    answers: {
      'agents/review': detailsOf(
        anAgent('review', {
          schedule: { expression: 'rate(1 hour)', timezone: 'UTC', enabled: true, next: null },
        }),
        {
          limits: {
            timeout: 600,
            patience: 90,
            max_depth: 1,
            parallel: false,
            sub_agent_timeout: 60,
            max_answer_tokens: 8_192,
            max_tokens: 200_000,
            max_usd: 2,
            max_turns: 50,
            max_tool_calls: 1_000,
            usd_per_day: 10,
            usd_per_owner_per_day: 0.5,
            copies: {
              max_depth: 2,
              max_tokens: 9,
              hard_stop_at: 0,
              max_concurrent: 4,
              max_tool_calls: 1,
              timeout_ms: 30_000,
            },
          },
        },
      ),
    },
    act: async () => {},
    look: '.agent-column:last-child > section:first-child',
  },
  'runs-without-a-task': {
    scene: sceneOf('agent-whole'),
    answers: {
      'runs?agent=review&limit=50': listOf(listed(anOverview('review', { run_id: 'r-1', task: '' }))),
    },
    act: async () => {},
    look: '.run-line',
  },
  'older-runs': {
    scene: sceneOf('runs-many'),
    answers: { 'runs?after=older': listOf(listed(anOverview('older', { run_id: 'older-1' }))) },
    act: press('Show older runs'),
    look: '.runs li:last-of-type, .runs > button',
  },
  'keys-of-the-page': {
    scene: sceneOf('runs-many'),
    answers: { evals: EVALS, servers: SERVERS, costs: COSTS },
    async act(person) {
      for (const key of ['j', 'j', 'k', '/']) {
        await person.keyboard.press(key);
        await person.look('main *:focus .runs-what strong, main input:focus');
      }
      await person.keyboard.press('Escape');
      await keys('g', 'e')(person);
      await person.look('main h1');
      await keys('g', 'x', 'a')(person);
      await person.look('main h1');
      await keys('g', 'h')(person);
      await person.look('main h1');
      await keys('g')(person);
      await person.pass(1_500);
      await keys('s')(person);
      await person.look('main h1');
      await keys('g', 's')(person);
      await person.look('main h1');
      await keys('g', 'q')(person);
      await person.look('dialog h2');
      await press('Close')(person);
      await keys('n')(person);
    },
    look: 'dialog h2',
  },
  'find-and-go': {
    scene: sceneOf('frame-palette'),
    answers: {
      ...sceneOf('agent-whole').answers,
      'runs?limit=10&text=old': listOf(
        listed(anOverview('older', { run_id: 'older-1', task: 'an old one' })),
      ),
      'agents/tests': { status: 404, detail: 'it is gone' },
    },
    async act(person) {
      const finding = async (key: string) => person.locator('dialog input').first().press(key);
      await keys('Control+k')(person);
      await finding('ArrowUp');
      await person.look('dialog input');
      for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown']) await finding(key);
      await person.look('dialog input');
      // Runs that are not among the newest are looked for by three letters and more.
      for (const words of ['tests', ' ol ', 'old']) {
        await fill(person, { 'dialog input': words });
        await person.pass(300);
        await person.look('dialog');
      }
      await fill(person, { 'dialog input': 'tests' });
      await person.pass(300);
      await finding('Enter');
    },
    look: 'dialog, main h1',
  },
  'find-what-is-kept': {
    scene: sceneOf('runs-saved-filters'),
    async act(person) {
      for (const words of ['saved filter', 'Checkout', 'Agents g', 'Runs g']) {
        await keys('Control+k')(person);
        await fill(person, { 'dialog input': words });
        await person.pass(300);
        await person.look('dialog li');
        await person.locator('dialog input').first().press('Enter');
        await person.look('main h1, .runs-filters [aria-current]');
      }
    },
    look: 'dialog, main h1',
  },
  'commands-in-view': {
    scene: sceneOf('run-succeeded'),
    async act(person) {
      await keys('Control+k')(person);
      await person.look('dialog li');
      await fill(person, { 'dialog input': 'fork' });
      await person.pass(300);
      await person.locator('dialog input').first().press('Enter');
    },
    look: 'dialog h2',
  },
  servers: servers(press('Connect'), { 'POST servers/s1/connect': REFUSED }),
  'server-left': servers(press('Disconnect'), { 'POST servers/s2/disconnect': { id: 's2' } }),
  'server-left-with-tokens': servers(press('Disconnect'), {
    'POST servers/s2/disconnect': { id: 's2', not_revoked: 'its authorization server answers HTTP 503' },
  }),
  'server-kept': servers(press('Disconnect'), { 'POST servers/s2/disconnect': REFUSED }),
  'server-come-back': servers(
    async () => {},
    { 'POST servers/callback': REFUSED },
    '#/servers?state=s&code=c',
  ),
  'server-connected': servers(
    async () => {},
    { 'POST servers/callback': { id: 's1' } },
    '#/servers?state=s&code=c',
  ),
  'no-servers': servers(async () => {}, { servers: { servers: [] } }),
  evaluations: {
    scene: { at: '#/evals', answers: aPlace({ evals: EVALS }), until: 'Evaluations' },
    act: async () => {},
    look: 'main',
  },
  'no-evaluations': {
    scene: { at: '#/evals', answers: aPlace({ evals: { evals: [] } }), until: 'Evaluations' },
    act: async () => {},
    look: 'main',
  },
  'token-given': {
    scene: sceneOf('frame-token'),
    async act(person) {
      await fill(person, { '[name=token]': ' secret ' });
      await press('Continue')(person);
    },
    look: 'main',
  },
};
