import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { serveAgents } from '../api/served-agents.ts';
import { findings } from './axe.ts';
import { browserTest, useBrowser } from './browser.ts';

const browsing = useBrowser();

/** Three agents that call each other in a circle, and one by itself. */
const ROLES = { top: () => 'done', kid: () => 'gold', leaf: () => 'x', alone: () => 'y' };
const EXTRA = {
  top: 'description = "Leads the others"\nsub_agents = ["kid", "leaf"]\nsystem_prompt = "Lead <b>well</b>."\ntools = ["read_file", "run_command", "spawn_agent"]\n[permissions]\nask = ["run_command"]\n[sub_agents_config]\nmax_depth = 1\n',
  kid: 'sub_agents = ["leaf"]\n',
  leaf: 'sub_agents = ["top"]\n',
};

async function serve() {
  return serveAgents(ROLES, EXTRA);
}

browserTest('the agents are shown as a graph, and as a list that says who may call whom', async () => {
  const { server } = await serve();
  const { page, faults } = await browsing.open(`${server.url}/#/agents`);
  const graph = page.getByRole('group', { name: /^Graph of who may call whom/ });
  await graph.getByRole('link', { name: 'top ⟲ depth 1' }).waitFor();
  expect(await graph.getByRole('link').count()).toBe(4);
  const left = async (name: RegExp) => (await graph.getByRole('link', { name }).boundingBox())?.x ?? 0;
  expect(await left(/^top/)).toBeLessThan(await left(/^kid/));
  expect(await left(/^leaf/)).toBe(await left(/^kid/));
  const list = page.getByRole('list', { name: 'All agents' });
  const item = list.getByRole('listitem').filter({ hasText: 'Leads the others' });
  expect(await item.innerText()).toMatch(/4 tools, 1 of them ask first/);
  expect(await item.innerText()).toMatch(
    /May call kid, leaf\s+Starts copies of itself by spawn_agent\s+Called by leaf/,
  );
  await page.getByRole('searchbox').fill('leads');
  expect(await list.getByRole('listitem').count()).toBe(1);
  await page.getByRole('searchbox').fill('');
  await page.getByRole('button', { name: 'Focus on kid' }).click();
  await graph.getByRole('link', { name: /^alone/ }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Focus on top' }).click();
  await page.getByRole('button', { name: 'Show all' }).click();
  await graph.getByRole('link', { name: /^alone/ }).waitFor();
  expect(await findings(page)).toEqual([]);
  expect(faults).toEqual([]);
});

browserTest('the graph is moved and zoomed with keys', async () => {
  const { server } = await serve();
  const { page } = await browsing.open(`${server.url}/#/agents`);
  const graph = page.getByRole('group', { name: /^Graph of who may call whom/ });
  const top = graph.getByRole('link', { name: /^top/ });
  const before = await top.boundingBox();
  await graph.focus();
  await page.keyboard.press('ArrowRight');
  const moved = await top.boundingBox();
  expect((before?.x ?? 0) - (moved?.x ?? 0)).toBeCloseTo(60);
  await page.keyboard.press('+');
  expect((await top.boundingBox())?.width).toBeCloseTo(1.25 * (before?.width ?? 0));
  await page.keyboard.press('0');
  expect(await top.boundingBox()).toEqual(before);
});

browserTest('the view of an agent shows what shapes its runs, and what has changed since one', async () => {
  const { server, stage, post } = await serve();
  await post('/agents/top/runs?wait=25', { json: { prompt: 'Find gold' } });
  const file = join(stage.cwd, 'agents/top.toml');
  await writeFile(file, 'name = "top"\nmodel = "stage/top"\nsystem_prompt = "Lead <i>better</i>."\n');
  const { page, faults } = await browsing.open(`${server.url}/#/agents/top`);
  await page.getByText('Lead <i>better</i>.', { exact: true }).first().waitFor();
  await page.getByRole('link', { name: /Find gold/ }).waitFor();
  await page.getByText('100%').waitFor();
  await page.getByText(/^In 30 days, below other agents too: 1 run, 1 succeeded and 0 failed/).waitFor();
  await page.getByRole('button', { name: 'What has changed since' }).click();
  await page.getByText('tool run_command').waitFor();
  await page.getByText('Lead <b>well</b>.').waitFor();
  expect(await findings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Start a run' }).last().click();
  expect(await page.getByRole('combobox', { name: 'Agent' }).inputValue()).toBe('top');
  expect(faults).toEqual([]);
});

browserTest('an agent that is not there is said not to be', async () => {
  const { server } = await serve();
  const { page } = await browsing.open(`${server.url}/#/agents/gone`);
  await page.getByText('there is no agent "gone"').waitFor();
});
