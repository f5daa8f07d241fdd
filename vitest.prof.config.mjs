import make from './vitest.config.ts';
export default (env) => {
const base = make(env);
base.test.setupFiles = [process.env.PROF === 'cpu' ? '/tmp/wt-tests-prof/profsetup.mjs' : '/tmp/wt-tests-prof/setup.mjs'];
base.test.reporters = [['json', { outputFile: '/tmp/wt-tests-prof/out.json' }]];
base.test.globalSetup = undefined;
if (process.env.MW) base.test.maxWorkers = +process.env.MW;
return base; };
