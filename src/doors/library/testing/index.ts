/** The package's entry `cadre/testing`: agents tested with models that play scripts. */
export { ModelError } from '../../../errors.ts';
export type { Evaluated, EvaluatedCase } from './evaluated.ts';
export { openTestCadre, type MadeCall, type TestCadre, type TestCadreOptions } from './open-test-cadre.ts';
export {
  call,
  type Asked,
  type Line,
  type OfferedTool,
  type Script,
  type ScriptedAnswer,
  type ScriptedCall,
  type SentRequest,
  type Turn,
} from './script.ts';
